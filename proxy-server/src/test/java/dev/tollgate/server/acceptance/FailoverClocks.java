package dev.tollgate.server.acceptance;

import java.time.Duration;
import java.util.Map;

/**
 * How long things take in the failover scenarios: what the gateway is configured to wait, what the
 * provider makes it wait, and how long a client may have waited at the end.
 *
 * @param slowToken until a slow provider's first token
 * @param stall how long a stalled stream is silent before it ends
 * @param silence how long a silent provider holds on to a request
 * @param outage how long one that comes back is away
 * @param requests how many are sent then, one each {@code interval}
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
  /** Those of the public bench. */
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

  /** The profile soak has the full ones. */
  static FailoverClocks ofThisRun() {
    return Boolean.getBoolean("tollgate.failover.full") ? FULL : SCALED;
  }
}
