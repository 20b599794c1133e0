package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.exchange.frame.BrokenStreamEnd;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.CidrBlock;
import dev.tollgate.server.settings.value.HttpUrl;
import dev.tollgate.server.settings.value.Origin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code listeners}: addresses to listen on, and limits of client requests.
 */
public record ListenerSettings(
    @Key(about = "the API that clients call: /v1") Api api,
    @Key(about = "the control plane and the dashboard") Control control,
    @Key(about = "health, metrics and operations; never on the public port") Admin admin) {

  /** Section {@code listeners.api}: the listener for API clients. */
  public record Api(
      @Key(
              about = "address and port to bind; port 0 lets the system choose",
              initial = "0.0.0.0:8080")
          BindAddress address,
      @Key(about = "URL of the API for clients, in URLs of artifacts; null: that of the listener")
          @Nullable HttpUrl baseUrl,
      @Key(about = "certificate and key; null: plain HTTP") @Nullable Tls tls,
      @Key(
              name = "http2",
              about = "HTTP/2 from clients",
              initial = "false",
              later = "HTTP/2, which does not exist here yet",
              refused = true)
          boolean http2,
      @Key(
              about = "whether every connection begins with a PROXY protocol v2 header",
              initial = "false")
          boolean proxyProtocol,
      @Key(about = "peers whose X-Forwarded-For is trusted: addresses or blocks")
          List<CidrBlock> trustedProxies,
      @Key(
              name = "max_request_bytes",
              about = "size limit of a JSON body, else 413 (also MAX_REQUEST_BYTES)",
              initial = "10MiB",
              min = "1KiB",
              max = "1GiB",
              bytes = true)
          int requestBytesMax,
      @Key(
              name = "max_multipart_bytes",
              about = "size limit of a multipart body, else 413",
              initial = "25MiB",
              min = "1KiB",
              max = "1GiB",
              bytes = true)
          int multipartBytesMax,
      @Key(
              name = "max_header_bytes",
              about = "size limit of request line and headers together, else 413",
              initial = "32KiB",
              min = "1KiB",
              max = "1MiB",
              bytes = true)
          int headerBytesMax,
      @Key(
              name = "max_connections",
              about =
                  "limit of open client connections; for a further one the connection without a"
                      + " proved key that has been silent longest is closed, else the new one",
              initial = "20000",
              min = "1")
          int connectionsMax,
      @Key(
              name = "max_unproven_connections_per_address",
              about =
                  "the same limit for connections of one address, or IPv6 /64, before their first"
                      + " authenticated request; trusted_proxies are exempt; 0: off",
              initial = "256",
              min = "0")
          int unprovenConnectionsPerAddressMax,
      @Key(
              about = "time limit for the head of a request; idle time before a key is proved",
              initial = "10s",
              min = "10ms")
          Duration headerTimeout,
      @Key(about = "time limit for the body of a request", initial = "30s", min = "10ms")
          Duration bodyTimeout,
      @Key(
              about =
                  "time without progress after which the connection of a client that does not"
                      + " read is closed",
              initial = "60s",
              min = "10ms")
          Duration writeStall,
      @Key(
              about = "time after which an idle connection whose client proved a key is closed",
              initial = "620s",
              min = "10ms")
          Duration idleTimeout,
      @Key(
              about = "idle time on a stream after which a ping comment is sent",
              initial = "15s",
              min = "10ms")
          Duration pingInterval,
      @Key(
              about = "time after which the 200 of a stream is sent even without a first event",
              initial = "15s",
              min = "10ms")
          Duration commitAfter,
      @Key(
              about =
                  "how the connection of a stream that broke off behind content ends: abort,"
                      + " without the last chunk, which clients notice that overlook the error"
                      + " event; clean: as behind a whole stream",
              initial = "abort")
          BrokenStreamEnd brokenStreamEnd,
      @Key(
              about = "path that answers 200 on this listener for load balancers; null: none",
              pattern = "/[A-Za-z0-9._~/-]*",
              expects = "a path such as /healthz")
          @Nullable String healthPath,
      @Key(about = "pages of other origins that may call from browsers; null: none")
          @Nullable Cors cors) {}

  /** Section {@code cors} of the API listener: cross-origin access of browsers. */
  public record Cors(
      @Key(
              about =
                  "origins of the pages, as browsers send them: scheme, host, and the port unless"
                      + " it is the default",
              required = true,
              min = "1")
          List<Origin> origins,
      @Key(
              about = "time for which a browser may keep the reply to a preflight",
              initial = "10m",
              min = "0s",
              max = "24h")
          Duration maxAge) {}

  /** Section {@code tls} of a listener: PEM files of the certificate chain and private key. */
  public record Tls(
      @Key(about = "certificate chain in PEM, the server's first", required = true)
          Path certificate,
      @Key(about = "private key in PEM (PKCS#8), without a password", required = true)
          Path privateKey) {}

  /** Section {@code listeners.control}: the listener of the control plane. */
  public record Control(
      @Key(about = "address and port to bind; null: off", initial = "127.0.0.1:8081")
          @Nullable BindAddress address,
      @Key(about = "URL for browsers; null: the address of the listener")
          @Nullable HttpUrl publicUrl,
      @Key(about = "certificate and key; null: plain HTTP") @Nullable Tls tls,
      @Key(about = "peers whose X-Forwarded-For is trusted: addresses or blocks")
          List<CidrBlock> trustedProxies,
      @Key(
              name = "max_connections",
              about =
                  "limit of open connections, and of an address 64; for a further one the"
                      + " connection that has been silent longest is closed",
              initial = "512",
              min = "1",
              max = "10000")
          int connectionsMax,
      @Key(about = "whether an address off loopback may be served without https", initial = "false")
          boolean allowPlainHttp) {}

  /**
   * Section {@code listeners.admin}: the listener for operators, with health, metrics and commands.
   */
  public record Admin(
      @Key(about = "address and port to bind", initial = "127.0.0.1:9901") BindAddress address,
      @Key(about = "bearer token that callers must send; required off loopback")
          @Nullable Secret token) {}
}
