package dev.tollgate.core.upstream;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.nio.channels.SelectableChannel;
import java.util.function.Consumer;

/** A socket that NIO drives. */
final class NioLoopSocket extends LoopSocket implements NioIoHandle {
  private final NioIoHandle socket;

  NioLoopSocket(NioIoHandle socket, Consumer<Runnable> line, Consumer<IoHandle> ended) {
    super(socket, line, ended);
    this.socket = socket;
  }

  @Override
  public SelectableChannel selectableChannel() {
    return socket.selectableChannel();
  }

  @Override
  IoEvent both(IoEvent before, IoEvent now) {
    NioIoOps its = ((NioIoEvent) before).ops();
    NioIoOps more = ((NioIoEvent) now).ops();
    int both = its.value() | more.value(); // Netty's with() adds nothing to what overlaps
    return both == its.value() ? before : new Event(NioIoOps.valueOf(both));
  }

  private record Event(NioIoOps ops) implements NioIoEvent {}
}
