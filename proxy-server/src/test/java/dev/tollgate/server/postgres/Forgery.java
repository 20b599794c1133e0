package dev.tollgate.server.postgres;

import dev.tollgate.server.postgres.backup.ExportManifest;
import dev.tollgate.server.postgres.backup.StoreExport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** Changes one entry of an export and corrects its checksum. */
public final class Forgery {
  private Forgery() {}

  public static void replace(Path file, String entry, String text, String by) throws IOException {
    Map<String, String> entries = read(file);
    String before = sha256(entries.getOrDefault(entry, ""));
    entries.computeIfPresent(entry, (name, content) -> content.replace(text, by));
    String after = sha256(entries.getOrDefault(entry, ""));
    if (before.equals(after)) {
      throw new AssertionError("nothing to replace in " + entry);
    }
    entries.computeIfPresent(
        ExportManifest.ENTRY, (name, content) -> content.replace(before, after));
    ExportManifest.read(
        new ByteArrayInputStream(
            entries.getOrDefault(ExportManifest.ENTRY, "").getBytes(StandardCharsets.UTF_8)));
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      for (var each : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(each.getKey()));
        zip.write(each.getValue().getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
      }
    }
  }

  private static Map<String, String> read(Path file) throws IOException {
    Map<String, String> entries = new LinkedHashMap<>();
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (ZipEntry entry : zip.stream().toList()) {
        byte[] content = zip.getInputStream(entry).readAllBytes();
        entries.put(entry.getName(), new String(content, StandardCharsets.UTF_8));
      }
    }
    return entries;
  }

  private static String sha256(String content) {
    return HexFormat.of()
        .formatHex(StoreExport.sha256().digest(content.getBytes(StandardCharsets.UTF_8)));
  }
}
