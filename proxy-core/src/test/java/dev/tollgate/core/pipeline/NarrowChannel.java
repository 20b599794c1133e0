package dev.tollgate.core.pipeline;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;

/** Channel without a socket that can be limited to a number of bytes. */
final class NarrowChannel extends EmbeddedChannel {
  private boolean narrow;
  private long takes;

  NarrowChannel(Builder builder) {
    super(builder);
  }

  /** Sends only the bytes of {@link #take} from now on. */
  void narrow() {
    narrow = true;
  }

  /** Lets the peer receive so many more bytes, now or later. */
  void take(long bytes) {
    takes += bytes;
    unsafe().flush();
    runPendingTasks();
  }

  /** Returns the bytes that the peer has not received. */
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
