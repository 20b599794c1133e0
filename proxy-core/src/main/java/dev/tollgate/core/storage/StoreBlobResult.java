package dev.tollgate.core.storage;

/** Name of a blob that was stored, or the failure to store it. */
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
