package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.HttpUrl;
import org.jspecify.annotations.Nullable;

/** Configuration section {@code telemetry}: access log, traces and metrics. */
public record TelemetrySettings(
    @Key(about = "one line per request") AccessLog accessLog,
    @Key(about = "OTLP collector for traces; null: none", later = "tracing")
        @Nullable HttpUrl otlpEndpoint,
    @Key(
            about = "share of requests that are traced",
            initial = "0.05",
            min = "0",
            max = "1",
            off = "0",
            later = "tracing")
        double traceSample,
    @Key(
            about = "metrics with OpenTelemetry's names for generative AI",
            initial = "false",
            later = "tracing")
        boolean genaiMetrics) {

  /** Section {@code telemetry.access_log}: format and sampling of the access log. */
  public record AccessLog(
      @Key(about = "format of a line; none: no access log", initial = "json") Format format,
      @Key(
              about = "share of successful requests that are logged",
              initial = "1.0",
              min = "0",
              max = "1")
          double sample) {}

  /** Format of the access log; {@code NONE} turns it off. */
  public enum Format {
    JSON,
    NONE
  }
}
