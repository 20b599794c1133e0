package dev.tollgate.core.upstream.loop;

import io.netty.channel.ChannelException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Wrapper of a socket's I/O handle, registered with the transport in place of Netty's own: its
 * events are handled at once, or queued. Confined to the loop.
 */
abstract class LoopSocket implements IoHandle, Runnable {
  private final IoHandle socket;
  private final Consumer<Runnable> queue;
  private final Consumer<IoHandle> ended;
  private boolean deprioritized;
  private @Nullable IoRegistration registration;
  private @Nullable IoEvent event;

  /**
   * @param queue gets this socket when an event arrives that has to wait
   * @param ended gets Netty's own handle when it is unregistered
   */
  LoopSocket(IoHandle socket, Consumer<Runnable> queue, Consumer<IoHandle> ended) {
    this.socket = socket;
    this.queue = queue;
    this.ended = ended;
  }

  /** Queues events from now on. */
  final void deprioritize() {
    deprioritized = true;
  }

  /** Returns one event with the flags of both. */
  abstract IoEvent merge(IoEvent before, IoEvent now);

  @Override
  public final void handle(IoRegistration socketRegistration, IoEvent now) {
    if (!deprioritized) {
      socket.handle(socketRegistration, now);
      return;
    }
    if (event == null) {
      queue.accept(this);
      event = now;
    } else {
      event = merge(event, now); // it is reported at each poll until it is handled
    }
    registration = socketRegistration;
  }

  /** Handles the queued event, unless the connection ended meanwhile. */
  @Override
  public final void run() {
    IoRegistration socketRegistration = registration;
    IoEvent now = event;
    registration = null;
    event = null;
    if (socketRegistration != null && now != null && socketRegistration.isValid()) {
      socket.handle(socketRegistration, now);
    }
  }

  @Override
  public final void registered() {
    socket.registered();
  }

  @Override
  public final void unregistered() {
    ended.accept(socket);
    socket.unregistered();
  }

  @Override
  public final void close() {
    try {
      socket.close();
    } catch (Exception e) {
      throw new ChannelException("a socket was not closed", e);
    }
  }
}
