package dev.tollgate.core.pipeline;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;

/** A channel without a socket that can be told to take only so many bytes. */
final class NarrowChannel extends EmbeddedChannel {
  private boolean narrow;
  private long takes;

  NarrowChannel(Builder builder) {
    super(builder);
  }

  /** From now on nothing leaves but what {@link #take} allows. */
  void narrow() {
    narrow = true;
  }

  /** The other end takes so many bytes more, now or when there are some. */
  void take(long bytes) {
    takes += bytes;
    unsafe().flush();
    runPendingTasks();
  }

  /** Bytes that wait for the other end to take them. */
  long queued() {
    ChannelOutboundBuffer queued = unsafe().outboundBuffer();
    return queued == null ? 0 : queued.totalPendingWriteBytes();
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer queued) throws Exception {
    if (!narrow) {
      super.doWrite(queued);
      return;
    }
    while (queued.current() instanceof ByteBuf part) {
      int count = (int) Math.min(part.readableBytes(), takes);
      if (count == 0 && part.isReadable()) {
        return;
      }
      takes -= count;
      outboundMessages().add(part.retainedSlice(part.readerIndex(), count));
      queued.removeBytes(count);
    }
  }
}
