package dev.tollgate.core.storage;

/** Result of storing a blob. */
public sealed interface StoreBlobResult {
  /** The blob is stored durably. */
  record Kept(BlobName name) implements StoreBlobResult {}

  /**
   * The blob is not stored, or the result is unknown.
   *
   * @param reason for logs only
   */
  record Unavailable(BlobFailure failure, String reason) implements StoreBlobResult {}
}
