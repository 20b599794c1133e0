package dev.tollgate.server.settings;

import dev.tollgate.server.settings.shape.Key;
import dev.tollgate.server.settings.value.EventLoops;
import java.time.Duration;

/** Section {@code server}: threads, memory and the end of the process. */
public record ServerSettings(
    @Key(about = "threads that serve; auto: one per processor", initial = "auto")
        EventLoops eventLoops,
    @Key(about = "how sockets are driven; auto: epoll where present, else nio", initial = "auto")
        Transport transport,
    @Key(
            name = "max_inflight_bytes",
            about = "request bodies, buffered replies and partial events in memory together",
            initial = "256MiB",
            min = "1MiB",
            bytes = true)
        long inflightBytesMax,
    @Key(about = "what happens after SIGTERM") Shutdown shutdown) {

  /** Kinds of transport. */
  public enum Transport {
    AUTO,
    EPOLL,
    NIO
  }

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
