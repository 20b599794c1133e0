package dev.tollgate.server.blob;

import dev.tollgate.core.blob.BlobKey;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/**
 * The key of a directory's URLs, in a file beside what it protects: whoever shares the directory
 * agrees on it, and who can read it can read the outputs anyway. Made once, by the first who looks.
 */
final class KeyFile {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private KeyFile() {}

  /** The key that is there, or a new one that from now on is. */
  static BlobKey in(Path directory) throws IOException {
    Path file = directory.resolve("key");
    if (!Files.exists(file)) {
      make(file);
    }
    String text = Files.readString(file).strip();
    return BlobKey.parse(text)
        .orElseThrow(() -> new IOException(file + " holds no key; without the file one is made"));
  }

  /** Nobody ever sees half of it, and of two nodes that start at once one wins. */
  private static void make(Path file) throws IOException {
    var random = new SecureRandom();
    Path draft = file.resolveSibling("key." + hex(random, 8));
    Files.createFile(draft, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    try {
      Files.writeString(draft, new BlobKey(hex(random, 4), hex(random, 32)).text() + "\n");
      Files.createLink(file, draft);
    } catch (FileAlreadyExistsException _) {
      // another node was faster: its key is ours
    } finally {
      Files.delete(draft);
    }
  }

  private static String hex(SecureRandom random, int bytes) {
    byte[] made = new byte[bytes];
    random.nextBytes(made);
    return HexFormat.of().formatHex(made);
  }
}
