package dev.tollgate.mock;

import java.time.Duration;

/**
 * Default timing and length of the mock provider's replies, and the seed that words and ids derive
 * from.
 */
public record MockProfile(Duration ttft, Duration chunkInterval, int chunks, long seed) {
  private static final int CHUNKS_MAX = 1_000_000;
  private static final Duration PAUSE_MAX = Duration.ofHours(1);

  /** Profile of a {@code type: mock} provider without further keys. */
  public static final MockProfile DEFAULT =
      new MockProfile(Duration.ofMillis(50), Duration.ofMillis(20), 64, 1);

  /** Profile without delays, for tests that are not about time. */
  public static final MockProfile IMMEDIATE = new MockProfile(Duration.ZERO, Duration.ZERO, 8, 1);

  public MockProfile {
    if (chunks < 0 || chunks > CHUNKS_MAX) {
      throw new IllegalArgumentException("chunks must be 0 to " + CHUNKS_MAX + ", not " + chunks);
    }
    checkPause("ttft", ttft);
    checkPause("chunk_interval", chunkInterval);
  }

  private static void checkPause(String name, Duration pause) {
    if (pause.isNegative() || pause.compareTo(PAUSE_MAX) > 0) {
      throw new IllegalArgumentException(name + " must be 0 to 1 h, not " + pause);
    }
  }

  /** Returns the time from a request to the end of a reply of {@code tokens} tokens. */
  Duration replyDuration(int tokens) {
    return ttft.plus(chunkInterval.multipliedBy(tokens));
  }

  MockProfile withTtft(Duration changed) {
    return new MockProfile(changed, chunkInterval, chunks, seed);
  }

  MockProfile withChunkInterval(Duration changed) {
    return new MockProfile(ttft, changed, chunks, seed);
  }

  MockProfile withChunks(int changed) {
    return new MockProfile(ttft, chunkInterval, changed, seed);
  }

  MockProfile withSeed(long changed) {
    return new MockProfile(ttft, chunkInterval, chunks, changed);
  }
}
