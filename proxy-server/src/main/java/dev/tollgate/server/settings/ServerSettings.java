package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.EventLoops;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Section {@code server}: threads, memory and the end of the process. */
public record ServerSettings(
    @Key(about = "threads that serve; auto: one per processor", initial = "auto")
        EventLoops eventLoops,
    @Key(about = "how sockets are driven; auto: epoll where present, else nio", initial = "auto")
        Transport transport,
    @Key(
            name = "max_inflight_bytes",
            about =
                "request bodies, buffered replies and partial events in memory together; never more"
                    + " than half of the heap",
            initial = "256MiB",
            min = "1MiB",
            bytes = true)
        long inflightBytesMax,
    @Key(
            name = "max_requests",
            about =
                "requests in work at most; null: one for each 64 KiB of the heap, 20000 at most",
            min = "1")
        @Nullable Integer requestsMax,
    @Key(about = "when requests are turned away to keep the others going") Overload overload,
    @Key(about = "what is remembered of submissions that carry an Idempotency-Key")
        Idempotency idempotency,
    @Key(about = "what happens after SIGTERM") Shutdown shutdown) {
  private static final long HEAP_BYTES_PER_REQUEST = 64 * 1024;
  private static final int REQUESTS_MAX = 20_000;
  private static final int REQUESTS_PER_LOOP = 128;

  /** Requests in work at most on a machine whose heap may have so many bytes. */
  public int requestsMaxOn(long heapBytesMax) {
    return requestsMax != null
        ? requestsMax
        : Math.clamp(heapBytesMax / HEAP_BYTES_PER_REQUEST, REQUESTS_PER_LOOP, REQUESTS_MAX);
  }

  /** The budget in force: what is said, or half of a smaller heap, for the rest needs it too. */
  public long inflightBytesMaxOn(long heapBytesMax) {
    return Math.min(inflightBytesMax, heapBytesMax / 2);
  }

  /** Requests in work below which none is turned away, where so many loops serve. */
  public int requestsMinOn(int loops) {
    Integer configured = overload.requestsMin();
    return configured != null ? configured : REQUESTS_PER_LOOP * loops;
  }

  /** Kinds of transport. */
  public enum Transport {
    AUTO,
    EPOLL,
    NIO
  }

  /** Section {@code server.overload}: where the bounds are that shedding keeps away from. */
  public record Overload(
      @Key(about = "whether requests are turned away before bounds are reached", initial = "true")
          boolean enabled,
      @Key(
              name = "min_requests",
              about =
                  "requests in work below which none is turned away; null: 128 for each event loop",
              min = "1")
          @Nullable Integer requestsMin,
      @Key(
              about =
                  "time that what providers sent may wait for an event loop; above it fewer run",
              initial = "20ms",
              min = "1ms")
          Duration eventLoopDelay,
      @Key(about = "share of the heap that may be needed", initial = "0.95", min = "0.1", max = "1")
          double heap,
      @Key(
              about = "share of the direct memory that buffers may use",
              initial = "0.9",
              min = "0.1",
              max = "1")
          double directMemory,
      @Key(
              about = "charges in the journal that are not in the books",
              initial = "1000000",
              min = "1000")
          int journalBacklog,
      @Key(about = "blocking tasks that wait for a thread", initial = "1000", min = "1")
          int offloadQueue) {}

  /** Section {@code server.idempotency}. */
  public record Idempotency(
      @Key(
              about = "how long others wait for a submission whose node gives no sign of life",
              initial = "30s",
              min = "1s")
          Duration lease,
      @Key(about = "how long a reply is told again", initial = "24h", min = "1m")
          Duration retention,
      @Key(
              name = "max_reply_bytes",
              about = "a larger reply is not kept: its key is told so",
              initial = "32MiB",
              min = "1KiB",
              max = "256MiB",
              bytes = true)
          int replyBytesMax,
      @Key(
              about = "connections to the store, and threads, that nothing else waits for",
              initial = "4",
              min = "1",
              max = "16")
          int connections,
      @Key(
              name = "max_pending_per_org",
              about = "requests of one organization that ask the store at once whose turn it is",
              initial = "128",
              min = "1")
          int orgPendingMax,
      @Key(
              name = "max_org_bytes",
              about =
                  "replies of one organization that are kept: of further ones their keys say that"
                      + " they are not",
              initial = "4GiB",
              min = "1MiB",
              bytes = true)
          long orgBytesMax) {}

  /** Section {@code server.shutdown}. */
  public record Shutdown(
      @Key(
              about = "time between turning unready and closing the listener",
              initial = "5s",
              min = "0s")
          Duration delay,
      @Key(about = "time that running requests get to finish", initial = "300s", min = "0s")
          Duration timeout) {}
}
