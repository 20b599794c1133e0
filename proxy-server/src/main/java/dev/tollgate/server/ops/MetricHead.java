package dev.tollgate.server.ops;

import java.util.List;

/** What is told of a {@link Family} ahead of its numbers. */
record MetricHead(Kind kind, String metric, String help, List<String> labels) {
  MetricHead {
    labels = List.copyOf(labels);
  }
}
