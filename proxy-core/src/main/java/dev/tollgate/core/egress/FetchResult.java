package dev.tollgate.core.egress;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.storage.BlobType;

/** What came of a fetch. */
public sealed interface FetchResult {
  /** The image in the array that it was collected into. */
  final class Image implements FetchResult {
    private final byte[] bytes;
    private final int length;
    private final BlobType type;

    Image(byte[] bytes, int length, BlobType type) {
      this.bytes = bytes;
      this.length = length;
      this.type = type;
    }

    /** The array; only the first {@link #length()} bytes are the image. */
    public byte[] bytes() {
      return bytes;
    }

    public int length() {
      return length;
    }

    public BlobType type() {
      return type;
    }
  }

  /** Told to the client that supplied the URL. */
  record Failed(FetchOutcome outcome, Fault fault) implements FetchResult {}
}
