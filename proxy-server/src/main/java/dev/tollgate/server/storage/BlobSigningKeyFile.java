package dev.tollgate.server.storage;

import dev.tollgate.core.storage.BlobSigningKey;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/**
 * File beside the blobs of a directory with the key that signs their URLs. All nodes that share the
 * directory use the same key, and a reader of the file can read the blobs anyway. The first node
 * creates the file.
 */
final class BlobSigningKeyFile {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private BlobSigningKeyFile() {}

  /** Returns the existing key, or a new one that is stored durably. */
  static BlobSigningKey readOrCreate(BlobLayout layout) throws IOException {
    Path file = layout.directory().resolve("key");
    if (!Files.exists(file)) {
      create(file, layout.drafts());
    }
    DirectoryBlobStore.sync(layout.directory());
    String text = Files.readString(file).strip();
    return BlobSigningKey.parse(text)
        .orElseThrow(() -> new IOException(file + " holds no key; without the file one is made"));
  }

  /**
   * Creates the file atomically; if two nodes start at once, one wins. A draft left by a crash is
   * deleted with all drafts, as it would be a second copy of the secret.
   */
  private static void create(Path file, Path drafts) throws IOException {
    var random = new SecureRandom();
    Path draft = drafts.resolve("key." + hex(random, 8));
    Files.createFile(draft, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    try {
      String text = new BlobSigningKey(hex(random, 4), hex(random, 32)).text() + "\n";
      Files.writeString(draft, text, StandardOpenOption.SYNC);
      Files.createLink(file, draft);
    } catch (FileAlreadyExistsException _) {
      // another node was faster: its key is used
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
