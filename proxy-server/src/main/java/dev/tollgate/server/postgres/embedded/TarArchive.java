package dev.tollgate.server.postgres.embedded;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Reader of plain {@code ustar} archives, the format of the PostgreSQL binaries: files, directories
 * and symbolic links. Any other kind of entry is refused.
 */
final class TarArchive {
  private static final int BLOCK_BYTES = 512;
  private static final Set<PosixFilePermission> EXECUTABLE =
      PosixFilePermissions.fromString("rwxr-xr-x");
  private static final Set<PosixFilePermission> PLAIN =
      PosixFilePermissions.fromString("rw-r--r--");

  private final InputStream in;
  private final Path root;
  private final byte[] header = new byte[BLOCK_BYTES];

  private TarArchive(InputStream in, Path root) {
    this.in = in;
    this.root = root;
  }

  /** Unpacks everything below {@code root}, except names that begin with {@code skipped}. */
  static void unpack(InputStream in, Path root, String skipped) throws IOException {
    new TarArchive(in, root).unpackAll(skipped);
  }

  private void unpackAll(String skipped) throws IOException {
    Files.createDirectories(root);
    while (in.readNBytes(header, 0, BLOCK_BYTES) == BLOCK_BYTES && header[0] != 0) {
      String name = name();
      long size = octal(124, 12);
      if (name.startsWith(skipped)) {
        skip(size);
      } else {
        unpackEntry(resolve(name), size);
      }
      skip((BLOCK_BYTES - size % BLOCK_BYTES) % BLOCK_BYTES);
    }
  }

  private void unpackEntry(Path path, long size) throws IOException {
    Files.createDirectories(path.getParent() == null ? root : path.getParent());
    switch (header[156]) {
      case '0', 0 -> writeFile(path, size);
      case '2' -> Files.createSymbolicLink(path, Path.of(text(157, 100)));
      case '5' -> Files.createDirectories(path);
      default -> throw new IOException("unexpected kind of entry in the archive: " + path);
    }
  }

  private void writeFile(Path path, long size) throws IOException {
    try (OutputStream out = Files.newOutputStream(path)) {
      byte[] buffer = new byte[64 * 1024];
      for (long left = size; left > 0; ) {
        int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (read < 0) {
          throw new EOFException("the archive ends within " + path);
        }
        out.write(buffer, 0, read);
        left -= read;
      }
    }
    boolean executable = (octal(100, 8) & 0100) != 0;
    Files.setPosixFilePermissions(path, executable ? EXECUTABLE : PLAIN);
  }

  private Path resolve(String name) throws IOException {
    Path path = root.resolve(name).normalize();
    if (!path.startsWith(root)) {
      throw new IOException("the archive points outside of its folder: " + name);
    }
    return path;
  }

  private String name() {
    String prefix = text(345, 155);
    return prefix.isEmpty() ? text(0, 100) : prefix + "/" + text(0, 100);
  }

  private String text(int from, int length) {
    int end = from;
    while (end < from + length && header[end] != 0) {
      end++;
    }
    return new String(header, from, end - from, StandardCharsets.UTF_8);
  }

  private long octal(int from, int length) {
    return Long.parseLong(text(from, length).strip(), 8);
  }

  private void skip(long bytes) throws IOException {
    in.skipNBytes(bytes);
  }
}
