package dev.tollgate.server.storage;

import dev.tollgate.core.storage.BlobName;
import java.nio.file.Path;

/**
 * Layout of blobs in their directory: one folder per day of expiry, so that a day is deleted as a
 * whole, with 1,024 folders in each. The parts of names contain no dots or slashes.
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

  /** Returns the path of a draft, in the same file system because it is renamed. */
  Path draft(BlobName name) {
    return drafts().resolve(name.id());
  }

  Path drafts() {
    return directory.resolve("drafts");
  }
}
