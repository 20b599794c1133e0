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
 * Test channel that behaves like a socket with autoRead off: received items wait in a queue, and
 * each read of the pipeline takes one. A plain EmbeddedChannel delivers without a read and hides
 * forgotten reads.
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

  /** Returns an open channel with these handlers, before any read. */
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

  /** Returns the number of reads that the pipeline requested. */
  public int reads() {
    return reads;
  }

  /** True if a read was requested and nothing has arrived yet. */
  public boolean isReadOpen() {
    return asked;
  }

  /** Queues the bytes of one socket read, delivered when the pipeline reads. */
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

  /** Queues bytes given as Latin-1 text. */
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

  /** Requests one read from the end of the pipeline, and runs all that follows. */
  public void pull() {
    pipeline().read();
    runPendingTasks();
  }

  /** Holds or releases writes, as with a peer that does not read. */
  public void holdWrites(boolean hold) {
    holding = hold;
    if (!hold) {
      unsafe().flush();
      runPendingTasks();
    }
  }

  /** Makes every later write fail, as on a connection that the peer has reset. */
  public void failWrites() {
    failing = true;
  }

  /** Runs an action at the moment of the next read. */
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

  /** Queued item: its delivery, and its release if the channel closes first. */
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
