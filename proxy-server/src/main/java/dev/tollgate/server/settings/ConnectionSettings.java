package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Keyword;
import dev.tollgate.server.settings.value.ProxyChoice;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configuration keys that all network providers share: timeouts, connection pool, TLS, proxy,
 * circuit breaker and client disconnects.
 */
public record ConnectionSettings(
    @Key(about = "timeouts of an attempt") Timeouts timeouts,
    @Key(about = "connection pool") Pool pool,
    @Key(about = "TLS of an https base_url") Tls tls,
    @Key(
            about =
                "HTTP proxy: inherit (that of egress), null (none), or a URL such as"
                    + " http://user:password@proxy:3128",
            initial = "inherit")
        @Nullable ProxyChoice proxy,
    @Key(about = "circuit breaker") Circuit circuit,
    @Key(
            about = "after a disconnect of the client: cancel the call, or drain it for its usage",
            initial = "cancel")
        OnDisconnect onDisconnect,
    @Key(
            name = "max_event_bytes",
            about = "size limit of a stream event and of a plain reply",
            initial = "32MiB",
            min = "4KiB",
            max = "1GiB",
            bytes = true)
        int eventBytesMax) {

  /**
   * Section {@code timeouts}: time limits of one attempt at the provider
   * (docs/decisions/retries.md#timeouts).
   */
  public record Timeouts(
      @Key(about = "until connected, TLS included", initial = "2s", min = "1ms") Duration connect,
      @Key(about = "until the head of the response", initial = "30s", min = "1ms")
          Duration responseHeader,
      @Key(about = "until the first event of a stream", initial = "60s", min = "1ms")
          Duration firstToken,
      @Key(about = "longest time without bytes", initial = "30s", min = "1ms") Duration idle,
      @Key(about = "whole call; not for streams", initial = "10m", min = "1ms") Duration total,
      @Key(
              about = "in place of response_header and first_token for images",
              initial = "5m",
              min = "1ms")
          Duration image) {
    Provider.ProviderTimeouts toCatalog() {
      return new Provider.ProviderTimeouts(connect, responseHeader, firstToken, idle, total, image);
    }
  }

  /** Section {@code pool}: limits of the connection pool of the provider. */
  public record Pool(
      @Key(
              name = "max_connections",
              about = "limit of connections, over all event loops",
              initial = "10000",
              min = "1")
          int connectionsMax,
      @Key(about = "limit of requests that wait for a connection", initial = "1024", min = "0")
          int pending,
      @Key(about = "time after which an unused connection is closed", initial = "30s", min = "1ms")
          Duration idle) {
    Provider.PoolLimits toCatalog() {
      return new Provider.PoolLimits(connectionsMax, pending, idle);
    }
  }

  /** Section {@code tls} of a provider: PEM files, and the name that is verified. */
  public record Tls(
      @Key(
              about =
                  "authorities in PEM that are trusted in place of the machine's and of egress.ca;"
                      + " null: those")
          @Nullable Path ca,
      @Key(about = "client certificate in PEM, with the chain above it; null: none")
          @Nullable Path clientCertificate,
      @Key(about = "private key of the client certificate in PEM (PKCS#8), without a password")
          @Nullable Path clientPrivateKey,
      @Key(
              about =
                  "name that is asked for and must be in the certificate; null: the host of"
                      + " base_url",
              pattern = "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?",
              expects = "a host name")
          @Nullable String serverName) {
    /** No settings: the machine's trust, and no client certificate. */
    public static final Tls NONE = new Tls(null, null, null, null);
  }

  /** Section {@code circuit}: the circuit breaker of the provider. */
  public record Circuit(
      @Key(
              about = "failures within the window that open the circuit",
              initial = "5",
              min = "1",
              max = "1000")
          int failures,
      @Key(about = "window in which failures count", initial = "10s", min = "1ms") Duration window,
      @Key(about = "first open period; each failed probe doubles it", initial = "2s", min = "1ms")
          Duration openFor,
      @Key(about = "longest open period", initial = "5s", min = "1ms") Duration openForMax,
      @Key(
              about =
                  "time after which an attempt counts as failed while the provider answers no"
                      + " request; 0: never",
              initial = "4s",
              min = "0s")
          Duration noResponseTimeout) {
    Provider.CircuitOptions toCatalog() {
      return new Provider.CircuitOptions(failures, window, openFor, openForMax, noResponseTimeout);
    }
  }

  /**
   * Section {@code on_disconnect}, or the word {@code cancel}: treatment of the provider call after
   * a client disconnect.
   *
   * @param drain null means that the call is cancelled
   */
  @Keyword("cancel")
  public record OnDisconnect(
      @Key(about = "read the upstream to its end after the client disconnected")
          @Nullable Drain drain) {
    Provider.OnDisconnect toCatalog() {
      return drain == null
          ? new Provider.OnDisconnect.Cancel()
          : new Provider.OnDisconnect.Drain(drain.time, drain.share);
    }
  }

  /** Section {@code on_disconnect.drain}: limits on reading abandoned replies to their end. */
  public record Drain(
      @Key(about = "time limit", initial = "30s", min = "1ms") Duration time,
      @Key(about = "limit, as a share of the open streams", initial = "0.01", min = "0", max = "1")
          double share) {}
}
