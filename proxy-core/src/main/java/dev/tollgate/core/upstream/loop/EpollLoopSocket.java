package dev.tollgate.core.upstream.loop;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.util.function.Consumer;

/** Loop socket on top of the epoll transport's I/O handle. */
final class EpollLoopSocket extends LoopSocket implements EpollIoHandle {
  private final EpollIoHandle socket;

  EpollLoopSocket(EpollIoHandle socket, Consumer<Runnable> queue, Consumer<IoHandle> ended) {
    super(socket, queue, ended);
    this.socket = socket;
  }

  @Override
  public FileDescriptor fd() {
    return socket.fd();
  }

  @Override
  IoEvent merge(IoEvent before, IoEvent now) {
    EpollIoOps earlier = ((EpollIoEvent) before).ops();
    EpollIoOps more = ((EpollIoEvent) now).ops();
    int merged = earlier.value() | more.value(); // Netty's with() ignores overlapping flags
    return merged == earlier.value() ? before : new Event(EpollIoOps.valueOf(merged));
  }

  private record Event(EpollIoOps ops) implements EpollIoEvent {}
}
