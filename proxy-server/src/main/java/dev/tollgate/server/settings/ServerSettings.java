package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.EventLoops;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code server}: threads, memory, load shedding, idempotency and shutdown.
 */
public record ServerSettings(
    @Key(about = "event loop threads; auto: one per processor", initial = "auto")
        EventLoops eventLoops,
    @Key(about = "socket transport; auto: epoll if available, else nio", initial = "auto")
        Transport transport,
    @Key(
            name = "max_inflight_bytes",
            about =
                "limit of request bodies, buffered replies and partial events in memory; at"
                    + " most half of the heap",
            initial = "256MiB",
            min = "1MiB",
            bytes = true)
        long inflightBytesMax,
    @Key(
            name = "max_requests",
            about = "limit of running requests; null: one per 64 KiB of the heap, at most 20000",
            min = "1")
        @Nullable Integer requestsMax,
    @Key(about = "load shedding") Overload overload,
    @Key(about = "replies kept for requests with an Idempotency-Key") Idempotency idempotency,
    @Key(about = "shutdown after SIGTERM") Shutdown shutdown) {
  private static final long HEAP_BYTES_PER_REQUEST = 64 * 1024;
  private static final int REQUESTS_MAX = 20_000;
  private static final int REQUESTS_PER_LOOP = 128;

  /** Returns the limit of running requests for a heap of {@code heapBytesMax} bytes. */
  public int requestsMaxOn(long heapBytesMax) {
    return requestsMax != null
        ? requestsMax
        : Math.clamp(heapBytesMax / HEAP_BYTES_PER_REQUEST, REQUESTS_PER_LOOP, REQUESTS_MAX);
  }

  /** Returns the configured budget, but at most half of the heap: the rest is needed elsewhere. */
  public long inflightBytesMaxOn(long heapBytesMax) {
    return Math.min(inflightBytesMax, heapBytesMax / 2);
  }

  /** Returns the number of running requests below which no request is shed. */
  public int requestsMinOn(int loops) {
    Integer configured = overload.requestsMin();
    return configured != null ? configured : REQUESTS_PER_LOOP * loops;
  }

  /** Netty transport of the event loops; {@code AUTO} is epoll where the system has it. */
  public enum Transport {
    AUTO,
    EPOLL,
    NIO
  }

  /** Section {@code server.overload}: bounds at which load shedding begins. */
  public record Overload(
      @Key(about = "whether requests are shed before hard limits are reached", initial = "true")
          boolean enabled,
      @Key(
              name = "min_requests",
              about = "running requests below which no request is shed; null: 128 per event loop",
              min = "1")
          @Nullable Integer requestsMin,
      @Key(
              about =
                  "longest wait of upstream data for an event loop; above it fewer requests run",
              initial = "20ms",
              min = "1ms")
          Duration eventLoopDelay,
      @Key(about = "share of the heap that may be in use", initial = "0.95", min = "0.1", max = "1")
          double heap,
      @Key(
              about = "share of the direct memory that may be in use",
              initial = "0.9",
              min = "0.1",
              max = "1")
          double directMemory,
      @Key(about = "charges in the journal that are not settled", initial = "1000000", min = "1000")
          int journalBacklog,
      @Key(about = "blocking tasks in the queue", initial = "1000", min = "1") int offloadQueue) {}

  /**
   * Section {@code server.idempotency}: claims and kept replies of requests with an idempotency
   * key.
   */
  public record Idempotency(
      @Key(
              about = "wait of others for a submission whose node sends no heartbeat",
              initial = "30s",
              min = "1s")
          Duration lease,
      @Key(about = "time for which a reply is replayed", initial = "24h", min = "1m")
          Duration retention,
      @Key(
              name = "max_reply_bytes",
              about = "size limit of a kept reply; a larger one cannot be replayed",
              initial = "32MiB",
              min = "1KiB",
              max = "256MiB",
              bytes = true)
          int replyBytesMax,
      @Key(
              about = "database connections, beside the pool, each with a thread",
              initial = "4",
              min = "1",
              max = "16")
          int connections,
      @Key(
              name = "max_pending_per_org",
              about = "requests of one organization that wait for a claim at the same time",
              initial = "128",
              min = "1")
          int orgPendingMax,
      @Key(
              name = "max_org_bytes",
              about =
                  "size limit of the kept replies of one organization; further ones cannot be"
                      + " replayed",
              initial = "4GiB",
              min = "1MiB",
              bytes = true)
          long orgBytesMax) {}

  /** Section {@code server.shutdown}: times of the drain before the process ends. */
  public record Shutdown(
      @Key(
              about = "time between readiness off and closing the listener",
              initial = "5s",
              min = "0s")
          Duration delay,
      @Key(about = "time limit for running requests to finish", initial = "300s", min = "0s")
          Duration timeout) {}
}
