package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Keyword;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Connections and calls of a provider that is reached over the network. */
public record ConnectionSettings(
    @Key(about = "five clocks") Timeouts timeouts,
    @Key(about = "connections to it") Pool pool,
    @Key(about = "when it is left alone for a while") Circuit circuit,
    @Key(about = "cancel, or drain to read on for the usage when a client left", initial = "cancel")
        OnDisconnect onDisconnect,
    @Key(
            name = "max_event_bytes",
            about = "longest event of a stream and longest plain reply",
            initial = "32MiB",
            min = "4KiB",
            max = "1GiB",
            bytes = true)
        int eventBytesMax) {

  /** Section {@code timeouts} (docs/decisions/retries.md#timeouts). */
  public record Timeouts(
      @Key(about = "until connected, TLS included", initial = "2s", min = "1ms") Duration connect,
      @Key(about = "until the response's head", initial = "30s", min = "1ms")
          Duration responseHeader,
      @Key(about = "until a stream's first event", initial = "60s", min = "1ms")
          Duration firstToken,
      @Key(about = "silence at most", initial = "30s", min = "1ms") Duration idle,
      @Key(about = "whole call; does not run for streams", initial = "10m", min = "1ms")
          Duration total,
      @Key(about = "until an image's head, and its first byte", initial = "5m", min = "1ms")
          Duration image) {
    Provider.ProviderTimeouts toCatalog() {
      return new Provider.ProviderTimeouts(connect, responseHeader, firstToken, idle, total, image);
    }
  }

  /** Section {@code pool}. */
  public record Pool(
      @Key(
              name = "max_connections",
              about = "connections at most, over all event loops",
              initial = "1024",
              min = "1")
          int connectionsMax,
      @Key(about = "requests that wait for a connection at most", initial = "1024", min = "0")
          int pending,
      @Key(about = "time after which an unused connection is closed", initial = "30s", min = "1ms")
          Duration idle) {
    Provider.PoolLimits toCatalog() {
      return new Provider.PoolLimits(connectionsMax, pending, idle);
    }
  }

  /** Section {@code circuit}. */
  public record Circuit(
      @Key(
              about = "failures within the window that open it",
              initial = "5",
              min = "1",
              max = "1000")
          int failures,
      @Key(about = "window", initial = "10s", min = "1ms") Duration window,
      @Key(about = "time it stays open at first", initial = "2s", min = "1ms") Duration openFor,
      @Key(about = "time it stays open at most", initial = "5s", min = "1ms") Duration openForMax,
      @Key(
              about = "time after which a try counts as failed while nobody is answered; 0: never",
              initial = "4s",
              min = "0s")
          Duration noResponseTimeout) {
    Provider.CircuitOptions toCatalog() {
      return new Provider.CircuitOptions(failures, window, openFor, openForMax, noResponseTimeout);
    }
  }

  /**
   * {@code on_disconnect}: {@code cancel}, or a drain.
   *
   * @param drain null: cancel
   */
  @Keyword("cancel")
  public record OnDisconnect(@Key(about = "read on after the client left") @Nullable Drain drain) {
    Provider.OnDisconnect toCatalog() {
      return drain == null
          ? new Provider.OnDisconnect.Cancel()
          : new Provider.OnDisconnect.Drain(drain.time, drain.share);
    }
  }

  /** Section {@code on_disconnect.drain}. */
  public record Drain(
      @Key(about = "time at most", initial = "30s", min = "1ms") Duration time,
      @Key(about = "share of the open streams at most", initial = "0.01", min = "0", max = "1")
          double share) {}
}
