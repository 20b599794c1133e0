package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;

/** How far a client has come with taking what it is sent: by our own queue, and by the kernel's. */
final class SocketProgress {
  private SocketProgress() {}

  /**
   * What stands in our queue. A queue gives up a buffer when all of it was written, and one buffer
   * may be a reply of many megabytes: so what was written of the first one is left out.
   */
  static long pendingBytes(Channel channel) {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    return queue == null ? 0 : queue.totalPendingWriteBytes() - queue.currentProgress();
  }

  /**
   * When the kernel sent data last: a slow reader can take from a large send buffer for long before
   * we may add to it. {@code otherwise} where the kernel cannot be asked.
   */
  static long lastSentNanos(Channel channel, long nowNanos, long fallback) {
    if (!(channel instanceof EpollSocketChannel socket) || !socket.isActive()) {
      return fallback;
    }
    return nowNanos - MILLISECONDS.toNanos(socket.tcpInfo().lastDataSent());
  }
}
