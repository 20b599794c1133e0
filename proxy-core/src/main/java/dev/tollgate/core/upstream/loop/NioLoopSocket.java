package dev.tollgate.core.upstream.loop;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.nio.channels.SelectableChannel;
import java.util.function.Consumer;

/** Loop socket on top of the NIO transport's I/O handle. */
final class NioLoopSocket extends LoopSocket implements NioIoHandle {
  private final NioIoHandle socket;

  NioLoopSocket(NioIoHandle socket, Consumer<Runnable> queue, Consumer<IoHandle> ended) {
    super(socket, queue, ended);
    this.socket = socket;
  }

  @Override
  public SelectableChannel selectableChannel() {
    return socket.selectableChannel();
  }

  @Override
  IoEvent merge(IoEvent before, IoEvent now) {
    NioIoOps earlier = ((NioIoEvent) before).ops();
    NioIoOps more = ((NioIoEvent) now).ops();
    int merged = earlier.value() | more.value(); // Netty's with() ignores overlapping flags
    return merged == earlier.value() ? before : new Event(NioIoOps.valueOf(merged));
  }

  private record Event(NioIoOps ops) implements NioIoEvent {}
}
