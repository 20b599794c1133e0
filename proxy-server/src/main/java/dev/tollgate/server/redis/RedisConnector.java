package dev.tollgate.server.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Connector that opens connections to Redis, on a thread of its own. The library must not reopen
 * connections, because it would repeat calls, and an acquisition must not be executed twice.
 */
final class RedisConnector implements AutoCloseable {
  private static final Duration SHUTDOWN_MAX = Duration.ofSeconds(2);

  // The library's own has two threads at least.
  private final EventLoopGroupProvider loops = new DefaultEventLoopGroupProvider(1);

  private final ClientResources resources;
  private final EventExecutor loop;
  private final RedisClient client;
  private final RedisAddress address;

  RedisConnector(RedisAddress address) {
    this.address = address;
    this.resources =
        DefaultClientResources.builder()
            .eventLoopGroupProvider(loops)
            .computationThreadPoolSize(1)
            .commandLatencyRecorder(CommandLatencyRecorder.disabled())
            .build();
    this.loop = loops.allocate(Transports.eventLoopGroupClass()).next();
    this.client = RedisClient.create(resources);
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(false)
            // Timeouts are handled by the callers. A call that the library timed out would still be
            // in flight, but not be counted as waiting.
            .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(2 * RedisConnection.CALLS_MAX) // CALLS_MAX is reached first
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .socketOptions(SocketOptions.builder().connectTimeout(RedisAddress.CONNECT).build())
            .build());
  }

  /** Returns the event loop of all its connections. */
  EventExecutor loop() {
    return loop;
  }

  /**
   * Connects to the server, or to the present master.
   *
   * @param whenDisconnected called once when the connection ends, on either side
   */
  CompletionStage<StatefulRedisConnection<String, String>> connect(Runnable whenDisconnected) {
    return client
        .connectAsync(StringCodec.UTF8, address.uri())
        .thenApply(connection -> watched(connection, whenDisconnected));
  }

  /** True if a connection failed because the server did not answer in time. */
  static boolean isTimeout(Throwable failure) {
    Throwable cause = RedisProbe.rootCause(failure);
    return cause instanceof RedisCommandTimeoutException
        || cause instanceof ConnectTimeoutException;
  }

  /** Connects for Pub/Sub, as {@link #connect}. */
  CompletionStage<StatefulRedisPubSubConnection<String, String>> listen(Runnable whenDisconnected) {
    return client
        .connectPubSubAsync(StringCodec.UTF8, address.uri())
        .thenApply(connection -> watched(connection, whenDisconnected));
  }

  private static <C extends StatefulConnection<String, String>> C watched(
      C connection, Runnable whenDisconnected) {
    connection.addListener(
        new RedisConnectionStateAdapter() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> channel) {
            whenDisconnected.run();
          }
        });
    return connection;
  }

  @Override
  public void close() {
    client.shutdown(0, SHUTDOWN_MAX.toMillis(), TimeUnit.MILLISECONDS);
    long millis = SHUTDOWN_MAX.toMillis();
    var _ = resources.shutdown(0, millis, TimeUnit.MILLISECONDS).awaitUninterruptibly(millis);
    var _ = loops.shutdown(0, millis, TimeUnit.MILLISECONDS).awaitUninterruptibly(millis);
  }
}
