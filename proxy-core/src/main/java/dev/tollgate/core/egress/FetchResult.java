package dev.tollgate.core.egress;

import dev.tollgate.core.dialect.DataUri;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Image that was downloaded from a client's URL, or the failure of the download. */
public sealed interface FetchResult {
  /** Downloaded image, in the array into which its bytes were collected. */
  final class Image implements FetchResult {
    private final byte[] bytes;
    private final int length;
    private final BlobType type;

    Image(byte[] bytes, int length, BlobType type) {
      this.bytes = bytes;
      this.length = length;
      this.type = type;
    }

    /** Returns the array; only the first {@link #length()} bytes are the image. */
    public byte[] bytes() {
      return bytes;
    }

    public int length() {
      return length;
    }

    public BlobType type() {
      return type;
    }

    /** Appends the image as a data URI. */
    public void writeDataUriTo(ByteBuf out) {
      DataUri.write(type.mediaType(), ByteBuffer.wrap(bytes, 0, length), out);
    }

    /** Returns the number of bytes that {@link #writeDataUriTo} appends. */
    public int dataUriBytes() {
      return DataUri.sizeBytes(type.mediaType(), length);
    }
  }

  /** Failed download; the fault is for the client that supplied the URL. */
  record Failed(FetchOutcome outcome, Fault fault) implements FetchResult {}
}
