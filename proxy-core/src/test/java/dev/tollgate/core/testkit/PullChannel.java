package dev.tollgate.core.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A test channel that behaves like a socket with autoRead off: what the peer sent waits in a queue,
 * and one read of the pipeline takes one item of it. A plain EmbeddedChannel delivers without being
 * asked and hides forgotten reads.
 */
public final class PullChannel extends EmbeddedChannel {
  private final Queue<Arrival> arrived = new ArrayDeque<>();
  private boolean holding;
  private boolean asked;
  private boolean failing;
  private int reads;
  private Runnable onNextRead = () -> {};

  private PullChannel(ChannelHandler... handlers) {
    super(DefaultChannelId.newInstance(), false, false, handlers);
  }

  /** An open channel with these handlers; nothing was read yet. */
  public static PullChannel open(ChannelHandler... handlers) {
    PullChannel channel = new PullChannel(handlers);
    channel.config().setAutoRead(false);
    try {
      channel.register();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return channel;
  }

  /** How often the pipeline asked the socket for a read. */
  public int reads() {
    return reads;
  }

  /** Whether a read is open: the socket was asked and had nothing. */
  public boolean isReadOpen() {
    return asked;
  }

  /** One socket read's worth of bytes arrives; delivered when the pipeline asks. */
  public void arrive(ByteBuf bytes) {
    arrive(
        new Arrival(
            () -> {
              pipeline().fireChannelRead(bytes);
              pipeline().fireChannelReadComplete();
            },
            bytes::release));
  }

  public void arrive(byte[] bytes) {
    arrive(Unpooled.wrappedBuffer(bytes));
  }

  /** Bytes given as Latin-1 text. */
  public void arrive(String bytes) {
    arrive(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** The peer ends its output (FIN); the channel may still write. */
  public void arriveHalfClose() {
    arrive(
        () -> {
          pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
          pipeline().fireChannelReadComplete();
        });
  }

  /** The peer closes (FIN), and so does the channel. */
  public void arriveClose() {
    arrive(
        () -> {
          var _ = close();
        });
  }

  /** The peer resets the connection. */
  public void arriveReset() {
    arrive(
        () -> {
          pipeline().fireExceptionCaught(new SocketException("Connection reset"));
          var _ = close();
        });
  }

  /** One read() from the end of the pipeline, and all that follows from it. */
  public void pull() {
    pipeline().read();
    runPendingTasks();
  }

  /** While held, nothing that is written leaves, as with a peer that does not read. */
  public void holdWrites(boolean hold) {
    holding = hold;
    if (!hold) {
      unsafe().flush();
      runPendingTasks();
    }
  }

  /** From now on every write meets a connection that the peer has reset. */
  public void failWrites() {
    failing = true;
  }

  /** Does something else in the moment in which the socket is asked for a read again. */
  public void onNextRead(Runnable meanwhile) {
    onNextRead = meanwhile;
  }

  private void arrive(Runnable delivery) {
    arrive(new Arrival(delivery, () -> {}));
  }

  private void arrive(Arrival arrival) {
    if (!isOpen()) {
      arrival.discard().run();
      return;
    }
    arrived.add(arrival);
    deliverIfAsked();
    runPendingTasks();
  }

  /** What the peer sent, and how to let go of it where nobody reads it any more. */
  private record Arrival(Runnable deliver, Runnable discard) {}

  @Override
  protected void doWrite(ChannelOutboundBuffer waiting) throws Exception {
    if (failing) {
      throw new SocketException("Broken pipe");
    }
    if (!holding) {
      super.doWrite(waiting);
    }
  }

  @Override
  protected void doClose() throws Exception {
    super.doClose();
    arrived.forEach(arrival -> arrival.discard().run());
    arrived.clear();
  }

  @Override
  protected void doBeginRead() {
    reads++;
    asked = true;
    Runnable meanwhile = onNextRead;
    onNextRead = () -> {};
    meanwhile.run();
    deliverIfAsked();
  }

  private void deliverIfAsked() {
    if (asked && !arrived.isEmpty()) {
      asked = false;
      Arrival next = arrived.remove();
      eventLoop().execute(() -> deliver(next));
    }
  }

  private void deliver(Arrival next) {
    if (isOpen()) {
      next.deliver().run();
    } else {
      next.discard().run();
    }
  }
}
