package dev.tollgate.core.blob;

/** How storing ended. */
public sealed interface Stored {
  /** It is kept: on the disk, or as the store said. */
  record Kept(BlobName name) implements Stored {}

  /**
   * It is not kept, or nobody knows.
   *
   * @param reason for logs only
   */
  record Unavailable(BlobFault fault, String reason) implements Stored {}
}
