package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.EndpointTls;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.egress.FetchRules;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.money.PriceSheet;
import dev.tollgate.core.pipeline.Tls;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.ops.ConfigReload;
import dev.tollgate.server.ops.RequestMetrics;
import dev.tollgate.server.postgres.ledger.PriceSheetRows;
import dev.tollgate.server.settings.CatalogBuilder;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.ReloadVerdict;
import dev.tollgate.server.settings.Settings;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Ticker;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
final class Snapshots implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  private final Supplier<LoadResult> reread;
  private final CatalogBuilder builder;
  private final RequestMetrics metrics;
  private final Upstreams upstreams;
  private final Fleet fleet;
  private final EgressEndpoints egress;
  private final @Nullable Tls tls;
  private volatile Snapshot current;

  /**
   * Immutable configuration with the catalog and rules built from it.
   *
   * @param egressTls TLS settings of endpoints that are no providers; null: those of all
   * @param webhookTls TLS settings of webhooks; null: those of all
   * @param tls certificate and key that a reload read, to be put in use with the rest; null if
   *     there are none
   */
  record Snapshot(
      Settings settings,
      Catalog catalog,
      LimitRules limits,
      FetchRules fetches,
      @Nullable EndpointTls egressTls,
      @Nullable EndpointTls webhookTls,
      @Nullable SslContext tls) {
    Snapshot with(@Nullable SslContext reread) {
      return new Snapshot(settings, catalog, limits, fetches, egressTls, webhookTls, reread);
    }
  }

  Snapshots(
      Settings settings,
      Supplier<LoadResult> reread,
      CatalogBuilder builder,
      RequestMetrics metrics,
      Upstreams upstreams,
      Fleet fleet,
      EgressEndpoints egress)
      throws StartException {
    this.reread = reread;
    this.builder = builder;
    this.metrics = metrics;
    this.upstreams = upstreams;
    this.fleet = fleet;
    this.egress = egress;
    EndpointTls egressTls = EndpointTlsFiles.ofEgress(settings);
    egress.replace(settings.egress(), egressTls); // ahead of the catalog, which fetches tokens
    this.current = built(settings, egressTls);
    SslContext first = tls(settings);
    this.tls = first == null ? null : new Tls(first);
    metrics.configured(current.catalog());
  }

  private Snapshot built(Settings of, @Nullable EndpointTls egressTls) throws StartException {
    return new Snapshot(
        of,
        builder.build(of, EndpointTlsFiles.ofProviders(of)),
        of.limits().rules(),
        FetchModule.rules(of),
        egressTls,
        EndpointTlsFiles.ofWebhooks(of),
        null);
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

  /** Returns certificate and key of the listener; null if it has no TLS. */
  @Nullable Tls tls() {
    return tls;
  }

  /** Returns the first chat model as an example; null if there is none. */
  @Nullable String chatModel() {
    return catalog().models().stream()
        .filter(model -> model.modality() == Modality.CHAT)
        .map(model -> model.id().toString())
        .findFirst()
        .orElse(null);
  }

  /** Stores the prices in use; no request may be charged before. */
  void keepPrices(PriceSheetRows kept) throws StartException {
    try {
      kept.keep(sheets(current));
    } catch (SQLException e) {
      throw new StartException("the prices cannot be stored: " + e.getMessage(), e);
    }
  }

  private static Set<PriceSheet> sheets(Snapshot of) {
    return of.catalog().models().stream()
        .map(model -> model.prices().sheet())
        .collect(Collectors.toSet());
  }

  /**
   * Returns a reload of this configuration's file.
   *
   * @param kept where new prices are stored before they are in use
   */
  ConfigReload<Snapshot> reload(PriceSheetRows kept) {
    return new ConfigReload<>(() -> withPricesKept(read(), kept), this::swap);
  }

  private ConfigReload.ReadResult<Snapshot> withPricesKept(
      ConfigReload.ReadResult<Snapshot> read, PriceSheetRows kept) {
    if (!(read instanceof ConfigReload.ReadResult.Valid<Snapshot>(Snapshot snapshot))) {
      return read;
    }
    Set<PriceSheet> sheets = sheets(snapshot);
    sheets.removeAll(sheets(current));
    if (sheets.isEmpty()) {
      return read;
    }
    try {
      kept.keep(sheets);
      return read;
    } catch (SQLException e) {
      ReferenceCountUtil.release(snapshot.tls());
      return new ConfigReload.ReadResult.Invalid<>(
          List.of("prices are new and cannot be stored now: " + e.getMessage()));
    }
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
        // The content of files may have changed all the same.
        case ReloadVerdict.Unchanged _, ReloadVerdict.Applicable _ ->
            new ConfigReload.ReadResult.Valid<>(
                built(after, EndpointTlsFiles.ofEgress(after)).with(tls(after)));
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
    current = snapshot.with(null);
    SslContext next = snapshot.tls();
    if (tls != null && next != null) {
      tls.replace(next);
    }
    egress.replace(snapshot.settings().egress(), snapshot.egressTls());
    fleet.configured(snapshot.catalog(), Ticker.systemTicker().nanoTime());
    upstreams.retireAllBut(
        snapshot.catalog().providers().stream()
            .map(Provider::endpoint)
            .collect(Collectors.toSet()));
  }

  /** Releases certificates and keys, behind the listener and the connections to providers. */
  @Override
  public void close() {
    List<@Nullable EndpointTls> ended = new ArrayList<>();
    current.catalog().providers().forEach(one -> ended.add(one.endpoint().settings()));
    ended.add(current.egressTls());
    ended.add(current.webhookTls());
    EndpointTlsFiles.release(ended);
    if (tls != null) {
      tls.close();
    }
  }
}
