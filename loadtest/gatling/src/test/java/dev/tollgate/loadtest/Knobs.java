package dev.tollgate.loadtest;

import java.time.Duration;
import java.util.Optional;

/** Parameters of the command line: properties named {@code loadtest.…}. */
final class Knobs {
  private Knobs() {}

  /** Base URL of a running gateway, ending in {@code /v1}; none: one is started. */
  static Optional<String> url() {
    return property("url").map(url -> url.replaceAll("/+$", ""));
  }

  /** API key; an environment variable hides it from the process list. */
  static String key() {
    return property("key")
        .or(() -> Optional.ofNullable(System.getenv("LOADTEST_KEY")))
        .orElseThrow(
            () -> new IllegalArgumentException("loadtest.url needs a key: set LOADTEST_KEY"));
  }

  /** Admin listener of the running gateway; none: checks that need it are skipped. */
  static Optional<String> adminUrl() {
    return property("admin").map(url -> url.replaceAll("/+$", ""));
  }

  static double rate(double usual) {
    return property("rate").map(Double::parseDouble).orElse(usual);
  }

  static Duration duration(Duration usual) {
    return property("duration").map(Knobs::span).orElse(usual);
  }

  static Duration warmUp() {
    return property("warmup").map(Knobs::span).orElse(Duration.ofSeconds(10));
  }

  /** Goal at p99, if a scenario has one. */
  static Duration p99(Duration usual) {
    return property("p99").map(Knobs::span).orElse(usual);
  }

  private static Optional<String> property(String name) {
    return Optional.ofNullable(System.getProperty("loadtest." + name)).filter(s -> !s.isBlank());
  }

  /** Parses {@code 250ms}, {@code 90s}, {@code 5m} or {@code 1h}. */
  private static Duration span(String text) {
    return text.endsWith("ms")
        ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
        : Duration.parse("PT" + text);
  }
}
