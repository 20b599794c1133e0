package dev.tollgate.core.blob;

/** How deleting ended. */
public sealed interface Deleted {
  /** Nobody can fetch it any more. */
  record Gone() implements Deleted {}

  /**
   * It may still be there.
   *
   * @param reason for logs only
   */
  record Unavailable(BlobFault fault, String reason) implements Deleted {}
}
