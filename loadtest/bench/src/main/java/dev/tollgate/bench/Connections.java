package dev.tollgate.bench;

import dev.tollgate.core.http.ResponseDecoder;
import dev.tollgate.core.pipeline.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Pool of client connections to one side of a benchmark. It opens a connection when a request waits
 * for one, at most {@code max}. Confined to the driver's loop.
 */
final class Connections implements RequestSender, Connection.Owner {
  private static final int OPENING_MAX = 64;
  private static final int CONNECT_MILLIS = 5_000;

  private final Bootstrap bootstrap;
  private final int max;
  private final LongSupplier clock;
  private final Set<Connection> open = new LinkedHashSet<>();
  private final ArrayDeque<Connection> free = new ArrayDeque<>();
  private Listener listener = Listener.NONE;
  private RequestTemplate work;
  private int opening;

  /** Callbacks for the events of requests and connections. */
  interface Listener {
    Listener NONE =
        new Listener() {
          @Override
          public void ended(long nowNanos) {}

          @Override
          public void freed(long nowNanos) {}

          @Override
          public void refused(long nowNanos) {}
        };

    /** A request ended. */
    void ended(long nowNanos);

    /** A connection is free. */
    void freed(long nowNanos);

    /** A connection could not be opened. */
    void refused(long nowNanos);
  }

  Connections(
      EventLoop loop,
      Transport transport,
      InetSocketAddress address,
      int max,
      LongSupplier clock,
      RequestTemplate work) {
    this.max = max;
    this.clock = clock;
    this.work = work;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channelFactory(new ReflectiveChannelFactory<>(transport.socketChannel()))
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
            .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .remoteAddress(address)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    prepare(channel);
                  }
                });
  }

  private void prepare(Channel channel) {
    var decoder = new ResponseDecoder();
    channel.pipeline().addLast("http", decoder);
    channel.pipeline().addLast("client", new Connection(channel, decoder, this, clock));
  }

  /** Sets the request to send from now on, and its listener. */
  void assign(RequestTemplate next, Listener nextListener) {
    work = next;
    listener = nextListener;
  }

  @Override
  public boolean trySend(long intendedNanos, long nowNanos) {
    Connection connection = free.pollLast();
    if (connection == null) {
      openAnother();
      return false;
    }
    connection.send(work, intendedNanos, nowNanos);
    return true;
  }

  /** Fails requests that exceed the timeout. */
  void expire(long nowNanos, long timeoutNanos) {
    List<Connection> busy = new ArrayList<>();
    for (Connection connection : open) {
      if (connection.isBusy()) {
        busy.add(connection);
      }
    }
    busy.forEach(connection -> connection.expire(nowNanos, timeoutNanos));
  }

  /** Closes busy connections; their requests are not counted. */
  void abandonBusy() {
    listener = Listener.NONE;
    for (Connection connection : List.copyOf(open)) {
      if (connection.isBusy()) {
        open.remove(connection);
        connection.abandon();
      }
    }
  }

  void close() {
    listener = Listener.NONE;
    List.copyOf(open).forEach(Connection::abandon);
  }

  private void openAnother() {
    if (open.size() + opening >= max || opening >= OPENING_MAX) {
      return;
    }
    opening++;
    ChannelFuture connecting = bootstrap.connect();
    connecting.addListener(_ -> opened(connecting));
  }

  private void opened(ChannelFuture connecting) {
    opening--;
    long nowNanos = clock.getAsLong();
    if (connecting.isSuccess()) {
      Connection connection = connecting.channel().pipeline().get(Connection.class);
      open.add(connection);
      freed(connection);
      listener.freed(nowNanos);
    } else {
      work.tally().problem("no connection: " + connecting.cause().getMessage());
      listener.refused(nowNanos);
    }
  }

  private void freed(Connection connection) {
    free.addLast(connection);
  }

  @Override
  public void freed(Connection connection, long nowNanos) {
    freed(connection);
    listener.ended(nowNanos);
    listener.freed(nowNanos);
  }

  @Override
  public void spent(Connection connection, long nowNanos) {
    open.remove(connection);
    listener.ended(nowNanos);
    listener.freed(nowNanos);
  }

  @Override
  public void closed(Connection connection) {
    open.remove(connection);
    free.remove(connection);
  }
}
