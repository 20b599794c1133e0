package dev.tollgate.core.storage;

/** How storing ended. */
public sealed interface StoreBlobResult {
  /** It is kept: on the disk, or as the store said. */
  record Kept(BlobName name) implements StoreBlobResult {}

  /**
   * It is not kept, or nobody knows.
   *
   * @param reason for logs only
   */
  record Unavailable(BlobFailure failure, String reason) implements StoreBlobResult {}
}
