package dev.tollgate.server.storage;

import dev.tollgate.core.storage.BlobName;
import java.nio.file.Path;

/**
 * Where blobs lie in a directory: by the day on which they are over, so that a day goes as a whole,
 * and in 1,024 folders each. Paths are put together from the parts of names, which hold no dots or
 * slashes.
 */
record BlobLayout(Path directory) {
  private static final int SPREAD = 2;

  Path folder(BlobName name) {
    return days().resolve(name.day()).resolve(name.id().substring(0, SPREAD));
  }

  Path of(BlobName name) {
    return folder(name).resolve(name.owner() + "-" + name.id() + "." + name.type().extension());
  }

  Path days() {
    return directory.resolve("days");
  }

  /** What is being written; in the same file system, or it could not be renamed. */
  Path draft(BlobName name) {
    return drafts().resolve(name.id());
  }

  Path drafts() {
    return directory.resolve("drafts");
  }
}
