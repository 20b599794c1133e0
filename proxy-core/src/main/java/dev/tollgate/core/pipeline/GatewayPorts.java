package dev.tollgate.core.pipeline;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.download.DownloadService;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.exchange.frame.RequestService;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * What the client side calls.
 *
 * @param downloads answers who has a signed URL
 * @param catalog the snapshot of now; a request keeps the one it began with
 */
public record GatewayPorts(
    RequestService service,
    DownloadService downloads,
    Authenticator authenticator,
    LoadShedder loadShedder,
    KnownRefusals refusals,
    InflightBytes inflightBytes,
    RequestObserver observer,
    InstantSource clock,
    Supplier<Catalog> catalog) {
  /** Of a gateway that keeps nothing. */
  public GatewayPorts(
      RequestService service,
      Authenticator authenticator,
      LoadShedder loadShedder,
      KnownRefusals refusals,
      InflightBytes inflightBytes,
      RequestObserver observer,
      InstantSource clock,
      Supplier<Catalog> catalog) {
    this(
        service,
        DownloadService.NONE,
        authenticator,
        loadShedder,
        refusals,
        inflightBytes,
        observer,
        clock,
        catalog);
  }
}
