package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.LimitLevels;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the levels of token buckets in Redis. It has a thread and a connection of its own,
 * which is opened at the first use, so that requests share nothing with those who read.
 */
final class SharedLevels implements LimitLevels.OfAllNodes, AutoCloseable {
  private final RedisConnector client;
  private final BooleanSupplier isUp;
  private final ReentrantLock connecting = new ReentrantLock();
  private volatile @Nullable StatefulRedisConnection<String, String> connection;

  /**
   * @param isUp false while Redis does not answer, so that readers do not wait for it
   */
  SharedLevels(RedisAddress address, BooleanSupplier isUp) {
    this.client = new RedisConnector(address);
    this.isUp = isUp;
  }

  @Override
  public Optional<List<Long>> used(List<Bucket> buckets) {
    if (buckets.isEmpty()) {
      return Optional.of(List.of());
    }
    if (!isUp.getAsBoolean()) {
      return Optional.empty();
    }
    try {
      StatefulRedisConnection<String, String> open = connection();
      return open == null ? Optional.empty() : used(open, buckets);
    } catch (CompletionException unreachable) {
      return Optional.empty();
    }
  }

  /** A connection that fails, or is silent, is closed: the next reader connects anew. */
  private static Optional<List<Long>> used(
      StatefulRedisConnection<String, String> open, List<Bucket> buckets) {
    try {
      return Optional.of(used(open.sync(), buckets));
    } catch (RedisException broken) {
      var _ = open.closeAsync();
      return Optional.empty();
    }
  }

  private static List<Long> used(RedisCommands<String, String> redis, List<Bucket> buckets) {
    List<String> time = redis.time();
    long nowMicros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    List<KeyValue<String, String>> stored =
        redis.mget(buckets.stream().map(ScriptCall::key).toArray(String[]::new));
    return IntStream.range(0, buckets.size())
        .mapToObj(n -> used(buckets.get(n), stored.get(n).getValueOrElse(""), nowMicros))
        .toList();
  }

  /**
   * Returns what is used of a bucket.
   *
   * @param stored its level, the time of that and its capacity then, as the scripts store it; empty
   *     for a full bucket
   */
  private static long used(Bucket bucket, String stored, long nowMicros) {
    if (stored.isEmpty()) {
      return 0;
    }
    String[] parts = stored.split(" ", -1);
    long capacity = Long.parseLong(parts[2]);
    long period = bucket.unit().periodMicros();
    long passed = Math.clamp(nowMicros - Long.parseLong(parts[1]), 0, period);
    long level = Math.min(Long.parseLong(parts[0]) + passed * capacity, capacity * period);
    return Math.clamp(bucket.capacity() - Math.floorDiv(level, period), 0, bucket.capacity());
  }

  /** Returns the open connection; null while another reader connects, for which none waits. */
  private @Nullable StatefulRedisConnection<String, String> connection() {
    StatefulRedisConnection<String, String> known = connection;
    if (known != null && known.isOpen()) {
      return known;
    }
    if (!connecting.tryLock()) {
      return null;
    }
    try {
      connection = client.connect(() -> {}).toCompletableFuture().join();
      return connection;
    } finally {
      connecting.unlock();
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
