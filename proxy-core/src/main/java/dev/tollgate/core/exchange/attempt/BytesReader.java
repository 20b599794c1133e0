package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.ReplyByteStream;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a reply that is streamed as plain bytes instead of events: passes each read on to the
 * client unchanged, in the same buffer. Loop-confined.
 */
final class BytesReader implements FlowReader {
  private final ReplyByteStream reply;
  private final ByteBufAllocator allocator;
  private @Nullable CompositeByteBuf out;

  BytesReader(ReplyByteStream reply, ByteBufAllocator allocator) {
    this.reply = reply;
    this.allocator = allocator;
  }

  @Override
  public void feed(ByteBuf bytes) {
    if (!bytes.isReadable()) {
      return;
    }
    CompositeByteBuf buffer = out;
    if (buffer == null) {
      buffer = allocator.compositeBuffer(Integer.MAX_VALUE);
      out = buffer;
    }
    reply.received(bytes.readableBytes());
    buffer.addComponent(true, bytes.retainedSlice());
  }

  @Override
  public void end() {
    reply.end();
  }

  @Override
  public @Nullable ByteBuf takeOutput() {
    ByteBuf buffer = out;
    out = null;
    return buffer;
  }

  @Override
  public boolean isEnded() {
    return false;
  }

  @Override
  public boolean endsWithConnection() {
    return false; // without its length or last chunk the body is cut off
  }

  @Override
  public boolean hasUnsolicitedBytes() {
    return false;
  }

  @Override
  public Set<ProtocolAnomaly> anomalies() {
    return Set.of();
  }

  @Override
  public boolean midEvent() {
    return false;
  }

  @Override
  public int heldBytes() {
    return 0;
  }

  @Override
  public ReplyByteStream reply() {
    return reply;
  }

  @Override
  public @Nullable UpstreamFailure failure(Dialect dialect, int status) {
    return reply.finished() ? null : UpstreamFailure.of(Kind.DISCONNECTED, "no audio came");
  }

  @Override
  public void release() {
    ByteBuf buffer = takeOutput();
    if (buffer != null) {
      buffer.release();
    }
  }
}
