package dev.tollgate.core.upstream.loop;

import io.netty.channel.ChannelException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One socket of a loop, which the transport knows instead of Netty's own handle: what arrives is
 * handled at once, or waits in the loop's line for its turn. Confined to the loop.
 */
abstract class LoopSocket implements IoHandle, Runnable {
  private final IoHandle socket;
  private final Consumer<Runnable> queue;
  private final Consumer<IoHandle> ended;
  private boolean deprioritized;
  private @Nullable IoRegistration registration;
  private @Nullable IoEvent event;

  /**
   * @param queue takes it whenever something arrived and it waits
   * @param ended hears of Netty's own handle when it is not registered any more
   */
  LoopSocket(IoHandle socket, Consumer<Runnable> queue, Consumer<IoHandle> ended) {
    this.socket = socket;
    this.queue = queue;
    this.ended = ended;
  }

  /** What arrives waits in line from now on. */
  final void deprioritize() {
    deprioritized = true;
  }

  /** One event that asks for what either asks for. */
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
      event = merge(event, now); // it is reported at each look until it had its turn
    }
    registration = socketRegistration;
  }

  /** Its turn. The connection may have ended while it waited. */
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
