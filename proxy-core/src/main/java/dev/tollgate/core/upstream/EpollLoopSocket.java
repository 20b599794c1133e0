package dev.tollgate.core.upstream;

import io.netty.channel.IoEvent;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.util.function.Consumer;

/** A socket that epoll drives. */
final class EpollLoopSocket extends LoopSocket implements EpollIoHandle {
  private final EpollIoHandle socket;

  EpollLoopSocket(EpollIoHandle socket, Consumer<Runnable> line) {
    super(socket, line);
    this.socket = socket;
  }

  @Override
  public FileDescriptor fd() {
    return socket.fd();
  }

  @Override
  IoEvent both(IoEvent before, IoEvent now) {
    EpollIoOps its = ((EpollIoEvent) before).ops();
    EpollIoOps more = ((EpollIoEvent) now).ops();
    return its.contains(more) ? before : new Event(its.with(more));
  }

  private record Event(EpollIoOps ops) implements EpollIoEvent {}
}
