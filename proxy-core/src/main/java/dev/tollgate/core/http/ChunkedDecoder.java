package dev.tollgate.core.http;

import dev.tollgate.core.http.BodyReader.Step;
import io.netty.buffer.ByteBuf;

/**
 * Decoder of the chunked transfer coding (RFC 9112, 7.1), which accepts its exact grammar only.
 * Extensions and trailers are checked, counted and dropped. The caller slices out the content.
 */
final class ChunkedDecoder {
  private enum State {
    SIZE_FIRST,
    SIZE,
    EXTENSION,
    SIZE_LF,
    CONTENT,
    CONTENT_CR,
    CONTENT_LF,
    TRAILER
  }

  private final ChunkLimits limits;
  private final ChunkExtension extension = new ChunkExtension();
  private final HeadReader trailer;
  private State state = State.SIZE_FIRST;
  private long chunkBytesLeft;
  private int lineBytes;
  private long extensionBytes;

  ChunkedDecoder(ChunkLimits limits) {
    this.limits = limits;
    this.trailer = new HeadReader(limits.trailer());
  }

  /** Consumes framing up to content, the end of the body or the end of the input. */
  Step advance(ByteBuf in) throws MalformedHttp {
    while (in.isReadable()) {
      if (state == State.CONTENT) {
        return Step.CONTENT;
      }
      if (state == State.TRAILER) {
        return trailer.read(in) == HeadReader.Found.END ? Step.END : Step.NEEDS_INPUT;
      }
      framing(in.readByte());
    }
    return Step.NEEDS_INPUT;
  }

  /** Returns the content at the reader index as a retained slice. */
  ByteBuf content(ByteBuf in) {
    int bytes = (int) Math.min(in.readableBytes(), chunkBytesLeft);
    chunkBytesLeft -= bytes;
    if (chunkBytesLeft == 0) {
      state = State.CONTENT_CR;
    }
    return in.readRetainedSlice(bytes);
  }

  private void framing(byte b) throws MalformedHttp {
    state =
        switch (state) {
          case SIZE_FIRST -> firstDigit(b);
          case SIZE -> digitOrEnd(b);
          case EXTENSION -> extension(b);
          case SIZE_LF -> sizeEnd(b);
          case CONTENT_CR -> expect(b, Grammar.CR, State.CONTENT_LF);
          case CONTENT_LF -> expect(b, Grammar.LF, State.SIZE_FIRST);
          case CONTENT, TRAILER -> throw new IllegalStateException(state.name());
        };
  }

  private State firstDigit(byte b) throws MalformedHttp {
    chunkBytesLeft = 0;
    lineBytes = 0;
    if (Grammar.hex(b) < 0) {
      throw malformed();
    }
    return digitOrEnd(b);
  }

  private State digitOrEnd(byte b) throws MalformedHttp {
    countLineByte();
    int digit = Grammar.hex(b);
    if (digit >= 0) {
      chunkBytesLeft = chunkBytesLeft << 4 | digit;
      if (chunkBytesLeft > Integer.MAX_VALUE) {
        throw MalformedHttp.tooLarge("chunk too large");
      }
      return State.SIZE;
    }
    if (b == ';') {
      extension.begin();
      return State.EXTENSION;
    }
    return expect(b, Grammar.CR, State.SIZE_LF);
  }

  private State extension(byte b) throws MalformedHttp {
    countLineByte();
    if (++extensionBytes > limits.extensionBytesMax()) {
      throw MalformedHttp.tooLarge("too many chunk extensions");
    }
    if (b == Grammar.CR && extension.mayEnd()) {
      return State.SIZE_LF;
    }
    extension.accept(b);
    return State.EXTENSION;
  }

  private State sizeEnd(byte b) throws MalformedHttp {
    return expect(b, Grammar.LF, chunkBytesLeft == 0 ? State.TRAILER : State.CONTENT);
  }

  private void countLineByte() throws MalformedHttp {
    if (++lineBytes > limits.lineBytesMax()) {
      throw MalformedHttp.tooLarge("chunk size line too long");
    }
  }

  private static State expect(byte b, byte wanted, State next) throws MalformedHttp {
    if (b != wanted) {
      throw malformed();
    }
    return next;
  }

  private static MalformedHttp malformed() {
    return MalformedHttp.syntax("malformed chunk");
  }
}
