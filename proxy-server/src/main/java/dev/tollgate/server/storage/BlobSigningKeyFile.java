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
 * The key of a directory's URLs, in a file beside what it protects: whoever shares the directory
 * agrees on it, and who can read it can read the outputs anyway. Made once, by the first who looks.
 */
final class BlobSigningKeyFile {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private BlobSigningKeyFile() {}

  /** The key that is there, or a new one that from now on is, also after a crash. */
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
   * Nobody ever sees half of it, of two nodes that start at once one wins. What a crash leaves of
   * it goes as all drafts do: it would be a second name of the secret.
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
