package dev.tollgate.server.postgres.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL programs bundled with this build, which are unpacked into a folder: {@code initdb},
 * {@code pg_ctl} and {@code postgres}. They are unpacked once per version; the folder is named
 * after the archive's checksum.
 */
public final class PostgresBinaries {
  /** Major version of the packed binaries; a data directory of another version is refused. */
  static final int MAJOR = 18;

  private final Path directory;

  private PostgresBinaries(Path directory) {
    this.directory = directory;
  }

  /** Returns the binaries below {@code cache}, unpacked now if they are missing. */
  public static PostgresBinaries in(Path cache) throws IOException, StoreException {
    String name = resourceName();
    URL resource = PostgresBinaries.class.getResource("/" + name);
    if (resource == null) {
      throw new StoreException(
          "this build contains no PostgreSQL for "
              + platform()
              + "; build it on such a machine or set store.url to jdbc:postgresql://…");
    }
    Path directory = cache.resolve(folderName(name, resource.openConnection()));
    if (!Files.isDirectory(directory)) {
      unpack(resource, directory);
    }
    return new PostgresBinaries(directory);
  }

  /** Returns the folder of this build's programs. */
  Path directory() {
    return directory;
  }

  public String program(String name) {
    return directory.resolve("bin").resolve(name).toString();
  }

  /** Deletes the binaries of earlier builds, unless a server runs from there. */
  void deleteOthers() throws IOException {
    try (Stream<Path> versions = Files.list(Objects.requireNonNull(directory.getParent()))) {
      for (Path version : versions.filter(path -> !path.equals(directory)).toList()) {
        FileTrees.delete(version);
      }
    }
  }

  private static void unpack(URL resource, Path directory) throws IOException {
    Path partial =
        directory.resolveSibling(directory.getFileName() + "." + ProcessHandle.current().pid());
    try (InputStream in = resource.openStream();
        InputStream tar = new BufferedInputStream(new XZInputStream(in), 1 << 16)) {
      TarArchive.unpack(tar, partial, "include/");
    }
    try {
      Files.move(partial, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException anotherWasFaster) {
      FileTrees.delete(partial);
    }
  }

  /** The checksum comes from the jar's directory, so that a warm start does not read 15 MB. */
  private static String folderName(String resource, URLConnection connection) throws IOException {
    long crc = 0;
    if (connection instanceof JarURLConnection jar) {
      crc = jar.getJarEntry().getCrc();
    }
    String stem = resource.substring(0, resource.indexOf('.'));
    return stem
        + "-"
        + HexFormat.of().toHexDigits((int) crc)
        + "-"
        + connection.getContentLengthLong();
  }

  private static String resourceName() {
    return "postgres-" + platform() + ".txz";
  }

  private static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch");
    boolean arm = arch.equals("aarch64") || arch.equals("arm64");
    return (os.startsWith("mac") ? "darwin" : os) + "-" + (arm ? "arm_64" : "x86_64");
  }
}
