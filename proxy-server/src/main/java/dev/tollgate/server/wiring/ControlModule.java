package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.limit.LimitLevels;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.core.pipeline.Tls;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.signin.ControlAuthenticator;
import dev.tollgate.server.account.signin.PasswordRules;
import dev.tollgate.server.account.signin.RandomSecret;
import dev.tollgate.server.account.signin.SetUp;
import dev.tollgate.server.control.ControlListener;
import dev.tollgate.server.control.ControlMetrics;
import dev.tollgate.server.control.PrincipalResolver;
import dev.tollgate.server.control.route.DashboardFiles;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.LinkHandlers;
import dev.tollgate.server.control.route.Meta;
import dev.tollgate.server.control.route.MetaHandlers;
import dev.tollgate.server.control.route.ModelHandlers;
import dev.tollgate.server.control.route.OwnAccountHandlers;
import dev.tollgate.server.control.route.RequestHandlers;
import dev.tollgate.server.control.route.RouteStates;
import dev.tollgate.server.control.route.SessionHandlers;
import dev.tollgate.server.control.route.SessionReplies;
import dev.tollgate.server.control.route.SessionReply.ServerView;
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
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Wiring of the control plane: its listener, database connections and handlers. */
final class ControlModule implements AutoCloseable {
  private final @Nullable ControlListener listener;
  private final @Nullable AccountModule accounts;
  private final @Nullable String url;
  private final @Nullable String setUpUrl;

  /** What the control plane sees of the API's traffic. */
  record Traffic(
      Shedder shedder, Supplier<Catalog> catalog, Fleet fleet, LimitLevels limitLevels) {}

  private ControlModule(
      @Nullable ControlListener listener,
      @Nullable AccountModule accounts,
      @Nullable String url,
      @Nullable String setUpUrl) {
    this.listener = listener;
    this.accounts = accounts;
    this.url = url;
    this.setUpUrl = setUpUrl;
  }

  /**
   * This node, as replies name it, and its parts that the control plane works with.
   *
   * @param apiBaseUrl URL of the API for clients
   * @param configuration the configuration in use
   * @param onTenantChange announces changes of keys and organizations
   */
  record Node(
      UUID id,
      InstantSource clock,
      String apiBaseUrl,
      Supplier<Snapshots.Snapshot> configuration,
      Runnable onTenantChange,
      Traffic traffic) {
    ServerView view() {
      String version = ControlModule.class.getPackage().getImplementationVersion();
      return new ServerView(
          Objects.requireNonNullElse(version, "(unpackaged)"), id, clock.instant());
    }
  }

  /** Starts the control plane, unless it is switched off: nothing of it exists then. */
  static ControlModule begin(
      Settings settings, Store store, Network network, Metrics metrics, Node node)
      throws StartException {
    BindAddress bind = settings.listeners().control().address();
    if (bind == null) {
      return new ControlModule(null, null, null, null);
    }
    var options = options(settings, bind);
    DataSource pool = store.controlPool(settings.controlPlane().pool());
    var url = new AtomicReference<>(""); // links are made once the port is known
    var accounts = AccountModule.begin(settings, store, pool, url::get, metrics);
    AccountModule.Services services = accounts.services();
    var listener =
        new ControlListener(
            options,
            new ControlListener.Ports(
                handlers(
                    settings,
                    options,
                    pool,
                    node,
                    services,
                    new OrgModule(store, pool, node, services),
                    new TenantModule(store, pool, node, services)),
                principals(services.authenticator()),
                pool,
                node.clock(),
                node.traffic().shedder()::isShedding),
            new ControlMetrics(metrics),
            network.allocator());
    metrics.gauge(ControlFamily.CONTROL_CALLS, listener::calls);
    metrics.gauge(ControlFamily.CONTROL_CONNECTIONS, () -> listener.gateway().gauges().open());
    try {
      url.set(url(options, listener.bind()));
      String setUpUrl = accounts.setUp(settings.bootstrap()).orElse(null);
      return new ControlModule(listener, accounts, url.get(), setUpUrl);
    } catch (CompletionException | SQLException e) {
      close(listener, accounts);
      throw failed(bind, e);
    }
  }

  private static StartException failed(BindAddress bind, Exception e) {
    if (e instanceof SQLException) {
      return new StartException("store: the first account: " + e.getMessage(), e);
    }
    Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
    return GatewayModule.cannotListen("listeners.control", bind, cause);
  }

  /** Starts the projection of the request view, which runs on every node: one at a time does it. */
  static RequestProjector projector(Store store, Shedder shedder, Metrics metrics) {
    RequestProjector.Sessions sessions = store.maintenanceSessions()::getConnection;
    return RequestProjector.start(sessions, shedder::isShedding, metrics);
  }

  private static PrincipalResolver principals(ControlAuthenticator authenticator) {
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

  private static @Nullable Tls tls(ListenerSettings.Control control) throws StartException {
    SslContext context = Network.serverTls("listeners.control.tls", control.tls());
    return context == null ? null : new Tls(context);
  }

  private static Handlers handlers(
      Settings settings,
      ControlListener.Options options,
      DataSource pool,
      Node node,
      AccountModule.Services services,
      OrgModule orgs,
      TenantModule tenants) {
    var files = DashboardFiles.open(settings.controlPlane().dashboardDir(), options.tls() != null);
    var sessionReplies = new SessionReplies(options.sessionCookie(), node::view);
    var handlers = new Handlers.Builder();
    MetaHandlers.add(handlers, meta(settings.controlPlane(), node, services.setUp()), files);
    SessionHandlers.add(
        handlers,
        new SessionHandlers.Services(
            services.setUp(), services.signIn(), services.sessions(), services.views()),
        sessionReplies);
    LinkHandlers.add(
        handlers,
        new LinkHandlers.Services(
            services.signUp(),
            services.verification(),
            services.reset(),
            orgs.invitationLinks(),
            services.authenticator(),
            services.signIn(),
            services.views()),
        sessionReplies);
    OwnAccountHandlers.add(handlers, services.own(), sessionReplies);
    orgs.addTo(handlers);
    tenants.addTo(handlers);
    Duration kept = settings.ledger().retention().requests().time();
    RequestHandlers.add(handlers, pool, node.clock(), kept);
    var states = new RouteStates(node.traffic().fleet(), Ticker.systemTicker());
    ModelHandlers.add(handlers, node.traffic().catalog(), states, pool, node.clock());
    return handlers.buildComplete();
  }

  private static MetaHandlers.MetaSource meta(
      ControlPlaneSettings settings, Node node, SetUp setUp) {
    String signup = settings.signup().name().toLowerCase(Locale.ROOT);
    boolean hasMail = settings.email().smtp() != null;
    var password = new Meta.PasswordRule(PasswordRules.CHARS_MIN, PasswordRules.CHARS_MAX);
    return () ->
        new Meta(
            "Tollgate",
            setUp.isRequired(),
            signup,
            hasMail,
            List.of(),
            password,
            node.apiBaseUrl());
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

  /** Returns the link that makes the first account, to be shown once; null if there is one. */
  @Nullable String setUpUrl() {
    return setUpUrl;
  }

  /** Returns the listeners for clients, which drain together. */
  GatewayTraffic with(Gateway api) {
    return new GatewayTraffic(
        listener == null ? List.of(api) : List.of(api, listener.gateway()),
        () -> GatewayModule.requestsInFlight(api));
  }

  @Override
  public void close() {
    if (listener != null && accounts != null) {
      close(listener, accounts);
    }
  }

  private static void close(ControlListener listener, AccountModule accounts) {
    listener.close();
    accounts.close();
  }
}
