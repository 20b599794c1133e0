package dev.tollgate.core.upstream;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.util.function.Consumer;

/** A socket that epoll drives. */
final class EpollLoopSocket extends LoopSocket implements EpollIoHandle {
  private final EpollIoHandle socket;

  EpollLoopSocket(EpollIoHandle socket, Consumer<Runnable> line, Consumer<IoHandle> ended) {
    super(socket, line, ended);
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
    int both = its.value() | more.value(); // Netty's with() adds nothing to what overlaps
    return both == its.value() ? before : new Event(EpollIoOps.valueOf(both));
  }

  private record Event(EpollIoOps ops) implements EpollIoEvent {}
}
