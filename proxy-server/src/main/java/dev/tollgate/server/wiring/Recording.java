package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.Observer;
import dev.tollgate.server.ops.AccessLog;
import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.ops.RequestLog;
import dev.tollgate.server.ops.RequestMetrics;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.Store.PoolFigures;
import dev.tollgate.server.settings.TelemetrySettings;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Where each request is recorded when it ends: in metrics, in a line, and in the store. */
final class Recording {
  private Recording() {}

  static Observer begin(
      TelemetrySettings.AccessLog lines,
      Store store,
      RequestMetrics figures,
      Metrics metrics,
      Closers closers) {
    metrics.gauges(Family.STORE_CONNECTIONS, () -> by(store, PoolFigures::inUse));
    metrics.gauges(Family.STORE_CONNECTIONS_WAITED, () -> by(store, PoolFigures::waiting));
    var requests = new RequestLog(store.requestRows(AccessLog::line)::add);
    closers.add("request log", requests);
    metrics.gauge(Family.REQUEST_LOG_WAITING, requests::waiting);
    metrics.counter(Family.REQUEST_LOG_DROPPED, requests::dropped);
    Observer log =
        lines.format() == TelemetrySettings.Format.NONE ? _ -> {} : new AccessLog(lines.sample());
    return record -> {
      figures.ended(record);
      log.ended(record);
      requests.ended(record);
    };
  }

  private static Map<String, Integer> by(Store store, Function<PoolFigures, Integer> figure) {
    Map<String, Integer> figures = new TreeMap<>();
    store.pools().forEach((pool, its) -> figures.put(pool, figure.apply(its)));
    return figures;
  }
}
