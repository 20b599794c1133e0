package dev.tollgate.core.storage;

/** How deleting ended. */
public sealed interface DeleteBlobResult {
  /** Nobody can fetch it any more. */
  record Gone() implements DeleteBlobResult {}

  /**
   * It may still be there.
   *
   * @param reason for logs only
   */
  record Unavailable(BlobFailure failure, String reason) implements DeleteBlobResult {}
}
