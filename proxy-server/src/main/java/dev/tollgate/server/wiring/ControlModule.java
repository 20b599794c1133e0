package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.signin.ControlAuthenticator;
import dev.tollgate.server.account.signin.RandomSecret;
import dev.tollgate.server.account.signin.SessionOptions;
import dev.tollgate.server.control.ControlListener;
import dev.tollgate.server.control.ControlMetrics;
import dev.tollgate.server.control.PrincipalResolver;
import dev.tollgate.server.control.route.DashboardFiles;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.Meta;
import dev.tollgate.server.control.route.MetaHandlers;
import dev.tollgate.server.control.route.ModelHandlers;
import dev.tollgate.server.control.route.RequestHandlers;
import dev.tollgate.server.control.route.RouteStates;
import dev.tollgate.server.explorer.RequestProjector;
import dev.tollgate.server.metrics.ControlFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.ops.GatewayTraffic;
import dev.tollgate.server.ops.Shedder;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.ControlPlaneSettings;
import dev.tollgate.server.settings.ListenerSettings;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.HttpUrl;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Wiring of the control plane: its listener, database connections and handlers. */
final class ControlModule implements AutoCloseable {
  private static final int PASSWORD_CHARS_MIN = 12;
  private static final int PASSWORD_CHARS_MAX = 256;

  private final @Nullable ControlListener listener;
  private final @Nullable String url;

  /** What the control plane sees of the API's traffic. */
  record Traffic(Shedder shedder, Supplier<Catalog> catalog, Fleet fleet) {}

  private ControlModule(@Nullable ControlListener listener, @Nullable String url) {
    this.listener = listener;
    this.url = url;
  }

  /**
   * Starts the control plane, unless it is switched off: nothing of it exists then.
   *
   * @param apiBaseUrl URL of the API for clients
   */
  static ControlModule begin(
      Settings settings,
      Store store,
      Network network,
      Metrics metrics,
      InstantSource clock,
      String apiBaseUrl,
      Traffic traffic)
      throws StartException {
    BindAddress bind = settings.listeners().control().address();
    if (bind == null) {
      return new ControlModule(null, null);
    }
    var options = options(settings, bind);
    DataSource pool = store.controlPool(settings.controlPlane().pool());
    var listener =
        new ControlListener(
            options,
            new ControlListener.Ports(
                handlers(settings, options, apiBaseUrl, pool, clock, traffic),
                principals(settings.controlPlane().session(), pool),
                pool,
                clock,
                traffic.shedder()::isShedding),
            new ControlMetrics(metrics),
            network.allocator());
    metrics.gauge(ControlFamily.CONTROL_CALLS, listener::calls);
    metrics.gauge(ControlFamily.CONTROL_CONNECTIONS, () -> listener.gateway().gauges().open());
    try {
      return new ControlModule(listener, url(options, listener.bind()));
    } catch (CompletionException e) {
      listener.close();
      Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
      throw new StartException("listeners.control: cannot listen: " + cause.getMessage(), cause);
    }
  }

  /** Starts the projection of the request view, which runs on every node: one at a time does it. */
  static RequestProjector projector(Store store, Shedder shedder, Metrics metrics) {
    RequestProjector.Sessions sessions = store.maintenanceSessions()::getConnection;
    return RequestProjector.start(sessions, shedder::isShedding, metrics);
  }

  private static PrincipalResolver principals(
      ControlPlaneSettings.Session session, DataSource pool) {
    var authenticator =
        new ControlAuthenticator(pool, new SessionOptions(session.idle(), session.absolute()));
    return new PrincipalResolver() {
      @Override
      public Identity bySession(String cookie, String ip) throws SQLException {
        var known = authenticator.bySession(cookie);
        RandomSecret next = known.newCookie();
        return new Identity(known.principal(), next == null ? null : next.reveal());
      }

      @Override
      public Principal byToken(String token, String ip) throws SQLException {
        return authenticator.byToken(token, ip);
      }
    };
  }

  private static ControlListener.Options options(Settings settings, BindAddress bind)
      throws StartException {
    ListenerSettings.Control control = settings.listeners().control();
    ControlPlaneSettings bounds = settings.controlPlane();
    return new ControlListener.Options(
        bind,
        control.publicUrl(),
        tls(control),
        CidrSet.parse(control.trustedProxies().stream().map(Object::toString).toList()),
        control.connectionsMax(),
        bounds.requestsMax(),
        bounds.rate().perSecond(),
        bounds.rate().perMinute());
  }

  private static @Nullable Supplier<SslContext> tls(ListenerSettings.Control control)
      throws StartException {
    SslContext context = Network.serverTls("listeners.control.tls", control.tls());
    return context == null ? null : () -> context;
  }

  private static Handlers handlers(
      Settings settings,
      ControlListener.Options options,
      String apiBaseUrl,
      DataSource pool,
      InstantSource clock,
      Traffic traffic) {
    ControlPlaneSettings accounts = settings.controlPlane();
    var meta =
        new Meta(
            "Tollgate",
            false,
            accounts.signup().name().toLowerCase(Locale.ROOT),
            accounts.email().smtp() != null,
            List.of(),
            new Meta.PasswordRule(PASSWORD_CHARS_MIN, PASSWORD_CHARS_MAX),
            apiBaseUrl);
    var files = DashboardFiles.open(accounts.dashboardDir(), options.tls() != null);
    var handlers = new Handlers.Builder();
    MetaHandlers.add(handlers, () -> meta, files);
    RequestHandlers.add(handlers, pool, clock, settings.ledger().retention().requests().time());
    var routes = new RouteStates(traffic.fleet(), Ticker.systemTicker());
    ModelHandlers.add(handlers, traffic.catalog(), routes, pool, clock);
    return handlers.buildComplete();
  }

  private static String url(ControlListener.Options options, InetSocketAddress bound) {
    HttpUrl configured = options.publicUrl();
    String host = options.address().isWildcard() ? "127.0.0.1" : options.address().host();
    return configured == null
        ? new HttpUrl(options.tls() != null, host, bound.getPort(), "").toString()
        : configured.toString();
  }

  /** Returns the URL for browsers; null if there is no control plane. */
  @Nullable String url() {
    return url;
  }

  /** Returns the listeners for clients, which drain together. */
  GatewayTraffic with(Gateway api) {
    return new GatewayTraffic(
        listener == null ? List.of(api) : List.of(api, listener.gateway()),
        () -> GatewayModule.requestsInFlight(api));
  }

  @Override
  public void close() {
    if (listener != null) {
      listener.close();
    }
  }
}
