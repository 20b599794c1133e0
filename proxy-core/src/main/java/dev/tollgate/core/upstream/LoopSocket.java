package dev.tollgate.core.upstream;

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
  private final Consumer<Runnable> line;
  private final Consumer<IoHandle> ended;
  private boolean waits;
  private @Nullable IoRegistration registration;
  private @Nullable IoEvent event;

  /**
   * @param line takes it whenever something arrived and it waits
   * @param ended hears of Netty's own handle when it is not registered any more
   */
  LoopSocket(IoHandle socket, Consumer<Runnable> line, Consumer<IoHandle> ended) {
    this.socket = socket;
    this.line = line;
    this.ended = ended;
  }

  /** What arrives waits in line from now on. */
  final void waitFromNowOn() {
    waits = true;
  }

  /** One event that asks for what either asks for. */
  abstract IoEvent both(IoEvent before, IoEvent now);

  @Override
  public final void handle(IoRegistration its, IoEvent now) {
    if (!waits) {
      socket.handle(its, now);
      return;
    }
    if (event == null) {
      line.accept(this);
      event = now;
    } else {
      event = both(event, now); // it is reported at each look until it had its turn
    }
    registration = its;
  }

  /** Its turn. The connection may have ended while it waited. */
  @Override
  public final void run() {
    IoRegistration its = registration;
    IoEvent now = event;
    registration = null;
    event = null;
    if (its != null && now != null && its.isValid()) {
      socket.handle(its, now);
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
