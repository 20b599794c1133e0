package dev.tollgate.server.acceptance;

import dev.tollgate.server.acceptance.FailoverProvider.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Scenarios of the public failoverbench: the provider's fault, and the checks besides the rescue of
 * the request. A table in {@code docs/routing.md} lists the same.
 */
@SuppressWarnings("ImmutableEnumChecker") // immutable scripts and lists
enum FailoverScenario {
  S01(
      "429 with `Retry-After: 2`, once",
      (wall, request, to) -> {
        if (wall.isFirst(request)) {
          wall.refuse(request, to, 429, "rate_limit_exceeded", "Retry-After: 2");
        } else {
          wall.ok(request, to);
        }
      },
      List.of("primary rate_limited", "primary ok"),
      check("retried", seen -> seen.atPrimary().size() >= 2),
      check("retry-after honoured", seen -> seen.firstGap().toMillis() >= 1_800),
      atMostWithin(2, Duration.ofMillis(1_500))),

  S02(
      "429 without `Retry-After`, always",
      (wall, request, to) -> wall.refuse(request, to, 429, "rate_limit_exceeded"),
      List.of("primary rate_limited", "primary rate_limited", "fallback ok"),
      atMostWithin(4, Duration.ofSeconds(3)),
      atMost(6)),

  S03(
      "500 once",
      (wall, request, to) -> {
        if (wall.isFirst(request)) {
          wall.refuse(request, to, 500, "server_error");
        } else {
          wall.ok(request, to);
        }
      },
      List.of("primary server_error", "primary ok"),
      check("same provider retried", seen -> seen.atPrimary().size() >= 2)),

  S04(
      "503 always",
      (wall, request, to) -> wall.refuse(request, to, 503, "overloaded"),
      List.of("primary server_error", "primary server_error", "fallback ok"),
      atMost(6)),

  S05(
      "the connection is reset before a byte of the reply, once",
      (wall, request, to) -> {
        if (wall.isFirst(request)) {
          wall.reset(request, to);
        } else {
          wall.ok(request, to);
        }
      },
      // a stale pooled connection does not count as an attempt
      List.of("primary ok")),

  S06(
      "takes the request and says nothing",
      FailoverProvider::noResponse,
      List.of("primary timed_out", "fallback ok"),
      check("within the budget", seen -> seen.isWithin(seen.clocks().noResponseMax())),
      check("the silent route is not asked again", seen -> seen.atPrimary().size() <= 1)),

  S07(
      "head at once, first token late",
      FailoverProvider::slow,
      List.of("primary timed_out", "fallback ok"),
      check("first-token limit", seen -> seen.isWithin(seen.clocks().slowTokenMax()))),

  S08(
      "the stream is cut after 40 of 60 tokens",
      (wall, request, to) -> wall.cut(request, to, 40, Duration.ZERO),
      List.of("primary disconnected", "primary disconnected by replay", "fallback ok by prefill")),

  S09(
      "the stream is silent after 20 of 60 tokens",
      (wall, request, to) -> wall.cut(request, to, 20, wall.clocks().stall()),
      List.of("primary interrupted", "fallback ok by prefill"),
      check("bounded", seen -> seen.isWithin(seen.clocks().stallMax()))),

  S10(
      "one event amid the stream is no JSON",
      FailoverProvider::malformed,
      List.of("primary interrupted", "primary interrupted by replay", "fallback ok by prefill"),
      check("resumed", seen -> seen.reply().isWholeAnswer())),

  S11(
      "a whole stream without `[DONE]`",
      (wall, request, to) -> wall.ok(request, to, ""),
      List.of("primary ok"),
      check("ends promptly", seen -> seen.isWithin(Duration.ofSeconds(8))),
      check("usage reported", seen -> seen.reply().hasUsage())),

  S12(
      "400 `context_length_exceeded`",
      (wall, request, to) -> wall.refuse(request, to, 400, "context_length_exceeded"),
      List.of("primary context_too_long", "fallback ok"),
      once()),

  S13(
      "400 `content_policy_violation`",
      (wall, request, to) -> wall.refuse(request, to, 400, "content_policy_violation"),
      List.of("primary content_filtered"),
      once(),
      check("not routed around", seen -> seen.atFallback().isEmpty())),

  S14(
      "the stream is cut after 40 of 60 tokens, and the fallback refuses to continue a text",
      (wall, request, to) -> wall.cut(request, to, 40, Duration.ZERO),
      List.of("primary disconnected", "primary disconnected by replay", "fallback ok by replay"),
      check("the client gets no refusal of a continuation", seen -> seen.reply().isWholeAnswer())),

  S15(
      "503 for a minute, then healthy, under a request every 4 s",
      (wall, request, to) -> {
        if (System.nanoTime() < wall.outageEndsNanos()) {
          wall.refuse(request, to, 503, "overloaded");
        } else {
          wall.ok(request, to);
        }
      },
      List.of()),

  S16(
      "503 always; the reply and its charge are checked",
      (wall, request, to) -> wall.refuse(request, to, 503, "overloaded"),
      List.of("primary server_error", "primary server_error", "fallback ok"),
      check("the fallback is named", seen -> seen.reply().model().equals(FailoverSuiteIT.FALLBACK)),
      check("usage reported", seen -> seen.reply().hasUsage()),
      atMost(6));

  private final String upstream;
  private final Fault fault;
  private final List<String> tries;
  private final List<Check> checks;

  FailoverScenario(String upstream, Fault fault, List<String> tries, Check... checks) {
    this.upstream = upstream;
    this.fault = fault;
    this.tries = tries;
    this.checks = List.of(checks);
  }

  /** Check of the bench that a rescue does not imply. */
  record Check(String name, Predicate<FailoverObservation> holds) {}

  /** Settings of its model at the provider, and of the provider. */
  String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Behaviour of the provider. */
  String upstream() {
    return upstream;
  }

  Fault fault() {
    return fault;
  }

  /** Attempts in the log; empty if they differ from request to request. */
  List<String> tries() {
    return tries;
  }

  List<Check> checks() {
    return checks;
  }

  /** Fallback model at its provider. */
  String fallback() {
    return this == S14 ? FailoverProvider.NO_PREFILL : FailoverProvider.HEALTHY;
  }

  /** True if a client should get the reply; else it gets the refusal. */
  boolean isToBeAnswered() {
    return this != S13;
  }

  /** True if the client had content when the first attempt failed. */
  boolean isResumed() {
    return tries.toString().contains(" by ");
  }

  /** Last column of the table. */
  String result() {
    return tries.isEmpty()
        ? "all answered by the fallback; the primary again within 30 s"
        : String.join(", ", tries);
  }

  private static Check check(String name, Predicate<FailoverObservation> holds) {
    return new Check(name, holds);
  }

  private static Check once() {
    return check("the same model is not asked again", seen -> seen.atPrimary().size() == 1);
  }

  private static Check atMost(int tries) {
    return check("bounded tries", seen -> seen.atPrimary().size() <= tries);
  }

  private static Check atMostWithin(int tries, Duration window) {
    return check("no hammering", seen -> seen.atPrimaryWithin(window) <= tries);
  }
}
