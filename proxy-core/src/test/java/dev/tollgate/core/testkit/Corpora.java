package dev.tollgate.core.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Shared corpora, found through the system property {@code tollgate.shared}. A test that needs a
 * missing one fails with a message that names the property.
 */
public final class Corpora {
  private static final String PROPERTY = "tollgate.shared";

  private Corpora() {}

  /** The path of a file or folder below the shared folder, such as {@code wire/sse/cases.json}. */
  public static Path path(String relative) {
    String folder = System.getProperty(PROPERTY);
    return resolve(folder, relative);
  }

  /** True if the shared folder is there and has a file. */
  public static boolean has(String relative) {
    String folder = System.getProperty(PROPERTY);
    return folder != null && Files.exists(Path.of(folder, relative));
  }

  public static byte[] bytes(String relative) {
    return bytes(path(relative));
  }

  public static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static String text(String relative) {
    return new String(bytes(relative), StandardCharsets.UTF_8);
  }

  /** Returns the files of a folder ordered by name, without subfolders. */
  public static List<Path> files(String relativeFolder) {
    try (Stream<Path> entries = Files.list(path(relativeFolder))) {
      return entries.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the rows of a tab-separated table, without comments and the line of column names. */
  public static List<String[]> rows(String relative) {
    return text(relative)
        .lines()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .skip(1)
        .map(line -> line.split("\t", -1))
        .toList();
  }

  static Path resolve(@Nullable String folder, String relative) {
    if (folder == null || folder.isBlank()) {
      throw new AssertionError(
          "set the system property " + PROPERTY + " to the folder of the shared corpora");
    }
    Path path = Path.of(folder, relative);
    if (!Files.exists(path)) {
      throw new AssertionError(
          path + " does not exist: the system property " + PROPERTY + " (" + folder + ") is wrong");
    }
    return path;
  }
}
