package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.PoolMetrics;
import dev.tollgate.server.metrics.RequestFamily;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.ops.AccessLog;
import dev.tollgate.server.ops.RequestLog;
import dev.tollgate.server.ops.RequestMetrics;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.TelemetrySettings;

/** Wiring of the observers of ended requests: metrics, access log and request log. */
final class RequestObservers {
  private RequestObservers() {}

  static RequestObserver begin(
      TelemetrySettings.AccessLog settings,
      Store store,
      RequestMetrics figures,
      Metrics metrics,
      Closers closers) {
    new PoolMetrics(store::pools).register(metrics);
    var requests =
        new RequestLog(store.requestRows(AccessLog::line)::add, store.refusalCounts()::add);
    closers.add("request log", requests);
    metrics.gauge(RequestFamily.REQUEST_LOG_WAITING, requests::waiting);
    metrics.gauge(StoreFamily.STORE_FAILING, "request_log", requests.outage()::gauge);
    metrics.counter(RequestFamily.REQUEST_LOG_DROPPED, requests::dropped);
    metrics.counter(RequestFamily.REFUSALS_COUNTED, requests::counted);
    metrics.gauge(RequestFamily.REFUSAL_COUNTS_WAITING, requests::counts);
    metrics.counter(RequestFamily.REFUSALS_DROPPED, requests::droppedRefusals);
    RequestObserver log =
        settings.format() == TelemetrySettings.Format.NONE
            ? _ -> {}
            : new AccessLog(settings.sample());
    return record -> {
      figures.ended(record);
      log.ended(record);
      requests.ended(record);
    };
  }
}
