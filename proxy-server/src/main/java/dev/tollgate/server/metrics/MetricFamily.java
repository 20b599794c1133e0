package dev.tollgate.server.metrics;

import java.util.List;
import java.util.stream.Stream;

/**
 * Definition of a Prometheus metric family: name, type, labels and help text, without values. One
 * enum per area implements it; a test compares all of them with {@code docs/operating.md}.
 */
public interface MetricFamily {
  MetricDescriptor descriptor();

  default MetricType type() {
    return descriptor().type();
  }

  /** Returns the name that Prometheus shows. */
  default String metric() {
    return descriptor().metric();
  }

  default String help() {
    return descriptor().help();
  }

  default List<String> labels() {
    return descriptor().labels();
  }

  /** Returns the metrics of all areas, in the order of the documentation. */
  static List<MetricFamily> all() {
    return Stream.<MetricFamily[]>of(
            RequestFamily.values(),
            IdempotencyFamily.values(),
            LoadFamily.values(),
            ProviderFamily.values(),
            LimitFamily.values(),
            LedgerFamily.values(),
            StoreFamily.values(),
            RequestViewFamily.values(),
            OutputFamily.values(),
            ControlFamily.values(),
            JobFamily.values(),
            WebhookFamily.values(),
            AccountFamily.values(),
            ProcessFamily.values())
        .flatMap(Stream::of)
        .toList();
  }
}
