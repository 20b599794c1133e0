package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;

/** Reader of an HTTP message's body, for all ways in which its head delimits the body. */
final class BodyReader {
  /** State of the body at the input's reader index. */
  enum Step {
    /** Content begins at the reader index: call {@link #content}. */
    CONTENT,
    /** There is no usable byte, and more input is needed. */
    NEEDS_INPUT,
    /** The body has ended, and all of its framing was consumed. */
    END
  }

  private final ChunkLimits limits;
  private BodyLength length = BodyLength.NONE;
  private ChunkedDecoder chunks;
  private long bytesLeft;

  BodyReader(ChunkLimits limits) {
    this.limits = limits;
    this.chunks = new ChunkedDecoder(limits);
  }

  /** Begins the body of the next message. */
  void begin(BodyLength length) {
    this.length = length;
    switch (length) {
      case BodyLength.None() -> bytesLeft = 0;
      case BodyLength.Fixed(long bytes) -> bytesLeft = bytes;
      case BodyLength.Chunked() -> {
        bytesLeft = Long.MAX_VALUE;
        chunks = new ChunkedDecoder(limits);
      }
      case BodyLength.UntilClose() -> bytesLeft = Long.MAX_VALUE;
    }
  }

  /** Returns the bytes of content to come, or {@link Long#MAX_VALUE} if unknown. */
  long bytesLeft() {
    return bytesLeft;
  }

  /** True if the end of the connection is the body's proper end. */
  boolean endsAtClose() {
    return length instanceof BodyLength.UntilClose;
  }

  /** Consumes framing up to content, the end of the body or the end of the input. */
  Step advance(ByteBuf in) throws MalformedHttp {
    if (length instanceof BodyLength.Chunked) {
      return chunks.advance(in);
    }
    return bytesLeft == 0 ? Step.END : in.isReadable() ? Step.CONTENT : Step.NEEDS_INPUT;
  }

  /** Returns the content at the reader index as a retained slice. */
  ByteBuf content(ByteBuf in) {
    return switch (length) {
      case BodyLength.Chunked() -> chunks.content(in);
      case BodyLength.UntilClose() -> in.readRetainedSlice(in.readableBytes());
      case BodyLength.Fixed(long _) -> fixed(in);
      case BodyLength.None() -> throw new IllegalStateException("no body");
    };
  }

  private ByteBuf fixed(ByteBuf in) {
    int bytes = (int) Math.min(bytesLeft, in.readableBytes());
    bytesLeft -= bytes;
    return in.readRetainedSlice(bytes);
  }
}
