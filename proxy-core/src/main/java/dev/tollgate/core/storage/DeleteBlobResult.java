package dev.tollgate.core.storage;

/** Result of deleting a blob. */
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
