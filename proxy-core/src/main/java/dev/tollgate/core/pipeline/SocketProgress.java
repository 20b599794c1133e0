package dev.tollgate.core.pipeline;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;

/** What the kernel knows of a socket's progress where our own queue stands still. */
final class SocketProgress {
  private SocketProgress() {}

  /**
   * Whether the kernel sent data within the last {@code spanNanos}: a slow reader can take from a
   * large send buffer for long before we may add to it. False where the kernel cannot be asked.
   */
  static boolean isSending(Channel channel, long spanNanos) {
    if (!(channel instanceof EpollSocketChannel socket) || !socket.isActive()) {
      return false;
    }
    return MILLISECONDS.toNanos(socket.tcpInfo().lastDataSent()) < spanNanos;
  }
}
