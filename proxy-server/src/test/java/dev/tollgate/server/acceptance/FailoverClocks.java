package dev.tollgate.server.acceptance;

import java.time.Duration;
import java.util.Map;

/**
 * Times in the failover scenarios: timeouts of the gateway, delays of the provider, and bounds on
 * the wait of a client.
 *
 * @param slowToken delay of a slow provider's first token
 * @param stall pause of a stalled stream before it ends
 * @param silence time that an unresponsive provider holds a request
 * @param outage duration of an outage
 * @param requests requests during the outage, one each {@code interval}
 */
record FailoverClocks(
    Map<String, String> configured,
    Duration tokenInterval,
    Duration slowToken,
    Duration stall,
    Duration silence,
    Duration outage,
    int requests,
    Duration interval,
    Duration slowTokenMax,
    Duration stallMax,
    Duration noResponseMax) {
  /** Times of the public bench. */
  private static final FailoverClocks FULL =
      new FailoverClocks(
          Map.of("first_token", "10s", "idle", "20s"),
          Duration.ofMillis(15),
          Duration.ofSeconds(20),
          Duration.ofSeconds(30),
          Duration.ofSeconds(120),
          Duration.ofSeconds(60),
          20,
          Duration.ofSeconds(4),
          Duration.ofSeconds(15),
          Duration.ofSeconds(45),
          Duration.ofSeconds(100));

  private static final FailoverClocks SCALED =
      new FailoverClocks(
          Map.of("response_header", "2s", "first_token", "1s", "idle", "2s"),
          Duration.ofMillis(3),
          Duration.ofSeconds(4),
          Duration.ofSeconds(5),
          Duration.ofSeconds(15),
          Duration.ofSeconds(8),
          14,
          Duration.ofSeconds(1),
          Duration.ofSeconds(3),
          Duration.ofMillis(4_500),
          Duration.ofSeconds(10));

  /** The profile soak uses the full times. */
  static FailoverClocks ofThisRun() {
    return Boolean.getBoolean("tollgate.failover.full") ? FULL : SCALED;
  }
}
