package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.egress.FetchRules;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.ops.ConfigReload;
import dev.tollgate.server.ops.RequestMetrics;
import dev.tollgate.server.settings.CatalogBuilder;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.ReloadVerdict;
import dev.tollgate.server.settings.Settings;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Ticker;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holder of the configuration in use and the catalog built from it, which a reload replaces
 * together, and the certificate and key of the listener. A request keeps the catalog of its start,
 * a connection its certificate; connections to endpoints that the new catalog does not name are
 * closed.
 */
final class Snapshots {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  private final Supplier<LoadResult> reread;
  private final CatalogBuilder builder;
  private final RequestMetrics metrics;
  private final Upstreams upstreams;
  private final Fleet fleet;
  private volatile Snapshot current;

  /**
   * Immutable configuration with the catalog and rules built from it.
   *
   * @param tls certificate and key as the files held them; null if the listener has no TLS
   */
  record Snapshot(
      Settings settings,
      Catalog catalog,
      LimitRules limits,
      FetchRules fetches,
      @Nullable SslContext tls) {
    Snapshot with(@Nullable SslContext reread) {
      return new Snapshot(settings, catalog, limits, fetches, reread);
    }
  }

  Snapshots(
      Settings settings,
      Supplier<LoadResult> reread,
      CatalogBuilder builder,
      RequestMetrics metrics,
      Upstreams upstreams,
      Fleet fleet)
      throws StartException {
    this.reread = reread;
    this.builder = builder;
    this.metrics = metrics;
    this.upstreams = upstreams;
    this.fleet = fleet;
    this.current = built(settings, tls(settings));
    metrics.configured(current.catalog());
  }

  private Snapshot built(Settings of, @Nullable SslContext tls) {
    return new Snapshot(of, builder.build(of), of.limits().rules(), FetchModule.rules(of), tls);
  }

  private static @Nullable SslContext tls(Settings of) throws StartException {
    return Network.serverTls("listeners.api.tls", of.listeners().api().tls());
  }

  Snapshot now() {
    return current;
  }

  Catalog catalog() {
    return current.catalog();
  }

  LimitRules limits() {
    return current.limits();
  }

  FetchRules fetches() {
    return current.fetches();
  }

  /** Returns certificate and key for a new connection to a listener with TLS. */
  SslContext tls() {
    return Objects.requireNonNull(current.tls());
  }

  /** Returns the first chat model as an example; null if there is none. */
  @Nullable String chatModel() {
    return catalog().models().stream()
        .filter(model -> model.modality() == Modality.CHAT)
        .map(model -> model.id().toString())
        .findFirst()
        .orElse(null);
  }

  /** Returns a reload of this configuration's file. */
  ConfigReload<Snapshot> reload() {
    return new ConfigReload<>(this::read, this::swap);
  }

  private ConfigReload.ReadResult<Snapshot> read() {
    return switch (reread.get()) {
      case LoadResult.Invalid invalid ->
          new ConfigReload.ReadResult.Invalid<>(
              invalid.problems().stream().map(Object::toString).toList());
      case LoadResult.Valid valid -> {
        valid.warnings().forEach(warning -> LOG.warn("configuration: {}", warning));
        yield compare(valid.settings());
      }
    };
  }

  private ConfigReload.ReadResult<Snapshot> compare(Settings after) {
    try {
      return switch (ReloadVerdict.between(now().settings(), after)) {
        case ReloadVerdict.Unchanged _ ->
            new ConfigReload.ReadResult.Valid<>(now().with(tls(after)));
        case ReloadVerdict.Applicable _ ->
            new ConfigReload.ReadResult.Valid<>(built(after, tls(after)));
        case ReloadVerdict.NeedsRestart needs ->
            new ConfigReload.ReadResult.Invalid<>(needRestart(needs));
      };
    } catch (StartException unreadable) {
      return new ConfigReload.ReadResult.Invalid<>(
          List.of(String.valueOf(unreadable.getMessage())));
    }
  }

  private static List<String> needRestart(ReloadVerdict.NeedsRestart needs) {
    return needs.paths().stream().map(path -> path + " takes effect only at a restart").toList();
  }

  private void swap(Snapshot snapshot) {
    metrics.configured(snapshot.catalog());
    current = snapshot;
    fleet.configured(snapshot.catalog(), Ticker.systemTicker().nanoTime());
    upstreams.retireAllBut(
        snapshot.catalog().providers().stream()
            .map(Provider::endpoint)
            .collect(Collectors.toSet()));
  }
}
