package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;

/**
 * Measurement of a client's progress in receiving replies, from the channel's queue and the kernel.
 */
final class SocketProgress {
  private SocketProgress() {}

  /**
   * Returns the bytes pending in the channel's queue. The queue releases a buffer only when all of
   * it is written, and one buffer may be a reply of many megabytes: so what was written of the
   * first buffer is subtracted.
   */
  static long pendingBytes(Channel channel) {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    return queue == null ? 0 : queue.totalPendingWriteBytes() - queue.currentProgress();
  }

  /**
   * Returns the time at which the kernel sent data last: a slow reader can receive from a large
   * send buffer for long before the channel becomes writable. Returns {@code fallback} if the
   * kernel has no such figure.
   */
  static long lastSentNanos(Channel channel, long nowNanos, long fallback) {
    if (!(channel instanceof EpollSocketChannel socket) || !socket.isActive()) {
      return fallback;
    }
    return nowNanos - MILLISECONDS.toNanos(socket.tcpInfo().lastDataSent());
  }
}
