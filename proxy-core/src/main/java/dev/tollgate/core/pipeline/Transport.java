package dev.tollgate.core.pipeline;

import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** Netty transport that the sockets use: epoll on Linux, NIO everywhere. */
public enum Transport {
  EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class),
  NIO(NioServerSocketChannel.class, NioSocketChannel.class);

  private final Class<? extends ServerChannel> serverChannel;
  private final Class<? extends SocketChannel> socketChannel;

  Transport(
      Class<? extends ServerChannel> serverChannel, Class<? extends SocketChannel> socketChannel) {
    this.serverChannel = serverChannel;
    this.socketChannel = socketChannel;
  }

  /** Returns the transport that {@code server.transport: auto} selects on this machine. */
  public static Transport auto() {
    return Epoll.isAvailable() ? EPOLL : NIO;
  }

  /** True if this machine supports the transport. */
  public boolean isAvailable() {
    return switch (this) {
      case EPOLL -> Epoll.isAvailable();
      case NIO -> true;
    };
  }

  /**
   * Returns the I/O handlers of an event loop group: on its loops, clients have priority over
   * providers.
   */
  public IoHandlerFactory ioHandlers() {
    return ClientPriorityIoHandler.on(
        switch (this) {
          case EPOLL -> EpollIoHandler.newFactory();
          case NIO -> NioIoHandler.newFactory();
        });
  }

  public Class<? extends ServerChannel> serverChannel() {
    return serverChannel;
  }

  public Class<? extends SocketChannel> socketChannel() {
    return socketChannel;
  }
}
