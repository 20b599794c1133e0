package dev.tollgate.server.acceptance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.acceptance.ProviderGate.Outage;
import dev.tollgate.server.acceptance.SteadyLoad.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * One provider is down under load, and then all: a few seconds here, a minute in the profile soak.
 * Circuits and timeouts are the defaults; only while all are down each has a short timeout, so that
 * no attempt outlasts the test.
 */
@Tag("chaos")
@Isolated
class ProviderOutageIT {
  private static final Duration OUTAGE =
      Duration.ofSeconds(Integer.getInteger("tollgate.outage.seconds", 5));
  private static final int PER_SECOND = Integer.getInteger("tollgate.outage.rate", 25);
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(1);

  /** Bound on detection by timeouts. */
  private static final Duration KNOWN = FIRST.plus(ANSWER_MAX);

  /**
   * Bound on detection of an unresponsive provider: {@code circuit.no_response_timeout}, and some
   * requests more.
   */
  private static final Duration RECEIVED = Duration.ofMillis(5_500);

  private static final Duration RECOVERY_MAX = Duration.ofSeconds(5);
  private static final Duration SOON = Duration.ofSeconds(20);

  private static final MockProvider PROVIDER = MockProvider.start(MockProfile.IMMEDIATE, 0);
  private static final Map<Outage, Fleet> ONE_OF_TWO = fleets();
  private static final Map<Outage, Fleet> ALL = fleets();
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());
  private static final LedgerDatabase BOOKS = LedgerDatabase.of(SharedNode.node().home());

  /** Proxies to two providers of one model. */
  private record Fleet(ProviderGate first, ProviderGate second) {}

  private static Map<Outage, Fleet> fleets() {
    Map<Outage, Fleet> fleets = new EnumMap<>(Outage.class);
    for (Outage each : Outage.values()) {
      int port = PROVIDER.port();
      fleets.put(each, new Fleet(ProviderGate.to(port), ProviderGate.to(port)));
    }
    return fleets;
  }

  private static ConfigBuilder setup() {
    ConfigBuilder setup = SharedNode.setup();
    ONE_OF_TWO.forEach((outage, fleet) -> add(setup, name("one", outage), fleet, Map.of()));
    String most = ANSWER_MAX.toMillis() + "ms";
    Map<String, ?> soon = Map.of("response_header", most, "first_token", most);
    ALL.forEach((outage, fleet) -> add(setup, name("all", outage), fleet, soon));
    return setup;
  }

  private static String name(String which, Outage outage) {
    return which + "-" + outage.name().toLowerCase(Locale.ROOT);
  }

  private static void add(ConfigBuilder setup, String name, Fleet fleet, Map<String, ?> clocks) {
    setup
        .provider(name + "-first", provider(fleet.first(), clocks))
        .provider(name + "-second", provider(fleet.second(), clocks))
        .model(
            "outage/" + name,
            Map.of(
                "modality",
                "chat",
                "price",
                ConfigBuilder.PRICE,
                "routes",
                List.of(
                    Map.of("provider", name + "-first", "model", "mock-chat", "priority", 1),
                    Map.of("provider", name + "-second", "model", "mock-chat", "priority", 2))));
  }

  private static Map<String, ?> provider(ProviderGate gate, Map<String, ?> clocks) {
    return Map.of(
        "type",
        "openai",
        "base_url",
        gate.baseUrl(),
        "api_key",
        "any",
        "timeouts",
        clocks,
        "circuit",
        Map.of("failures", 5));
  }

  @AfterAll
  static void stop() throws Exception {
    NODE.close();
    for (Map<Outage, Fleet> each : List.of(ONE_OF_TWO, ALL)) {
      for (Fleet fleet : each.values()) {
        fleet.first().close();
        fleet.second().close();
      }
    }
    PROVIDER.close();
  }

  /** Both kinds run at the same time, to save time. */
  @Test
  void oneProviderIsDownWithoutEffectOnClients() throws Exception {
    atOnce(ProviderOutageIT::oneIsOut);
  }

  private static void oneIsOut(Outage outage) throws Exception {
    String name = name("one", outage);
    ProviderGate gate = requireNonNull(ONE_OF_TWO.get(outage)).first();
    List<Answer> answers;
    long began;
    try (SteadyLoad load = SteadyLoad.on(NODE, "outage/" + name, PER_SECOND)) {
      load.runFor(FIRST);
      began = System.nanoTime();
      gate.begin(outage);
      load.runFor(time(outage));
      load.end();
      answers = load.since(began);
    }
    assertThat(answers).allMatch(each -> each.status() == 200);
    Map<String, Integer> tries = tries(name, answers);
    double whole = perRequest(answers, tries);
    double later = perRequest(after(known(outage), began, answers), tries);
    assertThat(later).isLessThanOrEqualTo(1.1);
    if (OUTAGE.toSeconds() >= 60) { // in shorter runs the first seconds weigh too much
      assertThat(whole).isLessThanOrEqualTo(1.1);
    }

    long back = System.nanoTime();
    gate.end();
    Duration recovered = untilServedBy(name, name + "-first", back);
    assertThat(recovered).isLessThanOrEqualTo(RECOVERY_MAX);
    RecordedFigures.keep(
        "outage-" + name,
        """
        %d requests at %d per second while one of two providers was out for %s: %d failed;
        tries per request %.3f, once that was known %.3f; used again %d ms after its return\
        """
            .formatted(
                answers.size(),
                PER_SECOND,
                time(outage),
                answers.stream().filter(each -> each.status() != 200).count(),
                whole,
                later,
                recovered.toMillis()));
  }

  private static void atOnce(Trial trial) throws Exception {
    List<Future<?>> trials = new ArrayList<>();
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (Outage outage : Outage.values()) {
        trials.add(
            threads.submit(
                () -> {
                  trial.of(outage);
                  return outage;
                }));
      }
    }
    for (Future<?> each : trials) {
      each.get();
    }
  }

  private interface Trial {
    void of(Outage outage) throws Exception;
  }

  private static Duration known(Outage outage) {
    return switch (outage) {
      case REFUSING -> KNOWN;
      case HANGING -> RECEIVED;
    };
  }

  private static Duration time(Outage outage) {
    Duration enough = known(outage).plusSeconds(3);
    return OUTAGE.compareTo(enough) < 0 ? enough : OUTAGE;
  }

  @Test
  void allProvidersAreDownAndClientsGetARetryTime() throws Exception {
    atOnce(ProviderOutageIT::allAreOut);
  }

  private static void allAreOut(Outage outage) throws Exception {
    String name = name("all", outage);
    Fleet fleet = requireNonNull(ALL.get(outage));
    List<Answer> all;
    long began;
    long back;
    try (SteadyLoad load = SteadyLoad.on(NODE, "outage/" + name, PER_SECOND)) {
      load.runFor(FIRST);
      began = System.nanoTime();
      fleet.first().begin(outage);
      fleet.second().begin(outage);
      load.runFor(OUTAGE);
      back = System.nanoTime();
      fleet.first().end();
      fleet.second().end();
      load.runFor(RECOVERY_MAX.plus(FIRST));
      load.end();
      all = load.since(began);
    }
    Duration recovered = untilServed(all, back);
    assertThat(recovered).isLessThanOrEqualTo(RECOVERY_MAX);
    assertThat(after(recovered, back, all)).isNotEmpty().allMatch(each -> each.status() == 200);

    List<Answer> answers = all.stream().filter(each -> each.answeredNanos() < back).toList();
    List<Answer> failed = answers.stream().filter(each -> each.status() != 200).toList();
    assertThat(failed).hasSizeGreaterThan(answers.size() * 9 / 10);
    assertThat(failed).allSatisfy(ProviderOutageIT::requireHints);
    Map<String, Integer> tries = tries(name, answers);
    assertThat(tries.values()).allMatch(each -> each <= 3);
    double later = perRequest(after(KNOWN, began, answers), tries);
    assertThat(later).isLessThan(0.5);
    Set<String> codes = new HashSet<>();
    failed.forEach(each -> codes.add(each.status() + " " + each.code()));
    RecordedFigures.keep(
        "outage-" + name,
        """
        %d requests at %d per second while all providers were out for %s: %d failed, with %s;
        tries per request once that was known %.3f; served again %d ms after their return\
        """
            .formatted(
                answers.size(),
                PER_SECOND,
                OUTAGE,
                failed.size(),
                codes,
                later,
                recovered.toMillis()));
  }

  /** A request with an attempt gets its failure; one without gets a time to retry. */
  private static void requireHints(Answer answer) {
    switch (answer.code()) {
      case "no_provider_available" -> {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.shouldRetry()).isEqualTo("true");
        assertThat(Integer.parseInt(answer.retryAfter())).isBetween(1, 5);
      }
      case "provider_unavailable" -> assertThat(answer.status()).isEqualTo(503);
      case "provider_timeout" -> assertThat(answer.status()).isEqualTo(504);
      default -> throw new AssertionError(answer);
    }
  }

  private static Duration untilServed(List<Answer> answers, long sinceNanos) {
    return Duration.ofNanos(
        answers.stream()
                .filter(each -> each.status() == 200)
                .mapToLong(Answer::answeredNanos)
                .filter(each -> each >= sinceNanos)
                .min()
                .orElseThrow()
            - sinceNanos);
  }

  private static Duration untilServedBy(String name, String provider, long sinceNanos)
      throws Exception {
    try (SteadyLoad load = SteadyLoad.on(NODE, "outage/" + name, PER_SECOND)) {
      load.runFor(RECOVERY_MAX.plus(FIRST));
      load.end();
      List<Answer> all = load.since(sinceNanos);
      assertThat(all).allMatch(each -> each.status() == 200);
      List<Answer> again = new ArrayList<>(all);
      again.removeIf(each -> !each.provider().equals(provider));
      return untilServed(again, sinceNanos);
    }
  }

  private static List<Answer> after(Duration time, long sinceNanos, List<Answer> answers) {
    return answers.stream()
        .filter(each -> each.askedNanos() - sinceNanos >= time.toNanos())
        .toList();
  }

  private static double perRequest(List<Answer> answers, Map<String, Integer> tries) {
    return answers.stream()
        .mapToInt(each -> requireNonNull(tries.get(each.requestId())))
        .average()
        .orElseThrow();
  }

  /** Returns the number of attempts of each request, from the log. */
  private static Map<String, Integer> tries(String name, List<Answer> answers) throws Exception {
    Map<String, Integer> tries = new HashMap<>();
    long began = System.nanoTime();
    // Requests that reach no provider are counted, and only the first of a minute leave rows.
    List<Answer> attempted =
        answers.stream().filter(each -> !each.code().equals("no_provider_available")).toList();
    while (!attempted.stream().allMatch(each -> tries.containsKey(each.requestId()))) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
      BOOKS.query(
          "SELECT request_id, coalesce(json_array_length(row::json -> 'attempts'), 0)"
              + " FROM request_log WHERE row::json ->> 'model' = 'outage/"
              + name
              + "'",
          row -> tries.put(row.getString(1), row.getInt(2)));
    }
    answers.forEach(each -> tries.putIfAbsent(each.requestId(), 0));
    return tries;
  }
}
