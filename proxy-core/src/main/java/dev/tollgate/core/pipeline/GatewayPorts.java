package dev.tollgate.core.pipeline;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.download.DownloadService;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.exchange.frame.RequestService;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * Ports that the handlers of the client pipeline call.
 *
 * @param downloads serves requests with a signed URL
 * @param catalog supplies the current snapshot; a request keeps the one it began with
 */
public record GatewayPorts(
    RequestService service,
    DownloadService downloads,
    Authenticator authenticator,
    LoadShedder loadShedder,
    KnownRefusals refusals,
    BodyPorts bodies,
    RequestObserver observer,
    InstantSource clock,
    Supplier<Catalog> catalog) {
  /** Creates the ports of a gateway without stored files. */
  public GatewayPorts(
      RequestService service,
      Authenticator authenticator,
      LoadShedder loadShedder,
      KnownRefusals refusals,
      BodyPorts bodies,
      RequestObserver observer,
      InstantSource clock,
      Supplier<Catalog> catalog) {
    this(
        service,
        DownloadService.NONE,
        authenticator,
        loadShedder,
        refusals,
        bodies,
        observer,
        clock,
        catalog);
  }
}
