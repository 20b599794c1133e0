package dev.tollgate.core.storage;

/** Whether a blob is gone from the store, or why its deletion failed. */
public sealed interface DeleteBlobResult {
  /** The blob cannot be fetched any more. */
  record Gone() implements DeleteBlobResult {}

  /**
   * The blob may still exist.
   *
   * @param reason for logs only
   */
  record Unavailable(BlobFailure failure, String reason) implements DeleteBlobResult {}
}
