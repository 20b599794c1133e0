package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Candidates that are tried, in order (docs/decisions/retries.md#attempts). */
class NextAttemptTest {
  private static final Random RANDOM = new Random(1);

  @Test
  void anotherProviderComesAtOnceAndThenOneOnceMore() {
    RoutePlan plan = plan(3, "b:2", "a:1");
    assertThat(walk(plan, Kind.SERVER_ERROR)).containsExactly("a", "b", "a");
  }

  @Test
  void aRepetitionWaitsAJitteredMoment() {
    RoutePlan plan = plan(3, "a:1");
    NextAttempt.Retry next = (NextAttempt.Retry) after(plan, Kind.DISCONNECTED, 0);
    assertThat(next.delay()).isBetween(Duration.ofMillis(300), Duration.ofMillis(600));
    assertThat(walk(plan, Kind.DISCONNECTED)).containsExactly("a", "a");
  }

  @Test
  void aRateLimitIsRepeatedAfterItsWaitIfThatIsShort() {
    RoutePlan plan = plan(3, "a:1");
    assertThat(after(plan, Kind.RATE_LIMITED, 2))
        .isEqualTo(new NextAttempt.Retry(plan.candidates().getFirst(), Duration.ofSeconds(2)));
    assertThat(after(plan, Kind.RATE_LIMITED, 3)).isEqualTo(new NextAttempt.GiveUp());
  }

  @Test
  void aRefusedKeyIsFollowedByOneOtherKeyAndThenByAnotherProvider() {
    RoutePlan plan = plan(3, "a:1", "b:2");
    List<NextAttempt.Failed> failed = new ArrayList<>();
    List<String> asked = new ArrayList<>();
    Candidate candidate = plan.candidates().getFirst();
    for (int i = 0; i < 3; i++) {
      asked.add(candidate.id().value());
      failed.add(
          new NextAttempt.Failed(candidate, UpstreamFailure.of(Kind.CREDENTIAL_REFUSED, "m")));
      if (NextAttempt.after(plan, failed, _ -> false, one -> one.id().value().equals("a"), RANDOM)
          instanceof NextAttempt.Retry next) {
        candidate = next.candidate();
      }
    }
    assertThat(asked).containsExactly("a", "a", "b");
  }

  @Test
  void aBarredCandidateIsNotTriedWithAnotherKeyEither() {
    RoutePlan plan = plan(3, "a:1", "b:2");
    Candidate first = plan.candidates().getFirst();
    var failed =
        List.of(new NextAttempt.Failed(first, UpstreamFailure.of(Kind.CREDENTIAL_REFUSED, "m")));
    assertThat(NextAttempt.after(plan, failed, first::isSame, _ -> true, RANDOM))
        .isEqualTo(new NextAttempt.Retry(plan.candidates().getLast(), Duration.ZERO));
  }

  @Test
  void anUnresponsiveProviderIsNotTriedAgain() {
    assertThat(walk(plan(3, "a:1"), Kind.TIMED_OUT)).containsExactly("a");
    assertThat(walk(plan(3, "a:1", "b:1"), Kind.TIMED_OUT)).containsExactly("a", "b");
  }

  @Test
  void anUnresponsiveProviderIsNotTriedForAnotherModelEither() {
    assertThat(models(Kind.TIMED_OUT, "one@a", "two@a", "two@b")).containsExactly("one@a", "two@b");
    assertThat(models(Kind.TIMED_OUT, "one@a", "two@a")).containsExactly("one@a");
  }

  @Test
  void anotherModelIsAskedAtAProviderThatDidNotFail() {
    assertThat(models(Kind.SERVER_ERROR, "one@a", "two@a", "two@b"))
        .containsExactly("one@a", "one@a", "two@b");
    assertThat(models(Kind.SERVER_ERROR, "one@a", "two@a"))
        .as("if there is one")
        .containsExactly("one@a", "one@a", "two@a");
  }

  /** Rates are limited by model, and a missing model does not show the state of the others. */
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"RATE_LIMITED", "LIMIT_TOO_LOW", "MODEL_MISSING"})
  void whatConcernsOneModelIsNoReasonToPassTheProviderOver(Kind kind) {
    assertThat(models(kind, "one@a", "two@a", "three@b")).contains("two@a");
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"REJECTED", "CONTENT_FILTERED", "CONTEXT_TOO_LONG", "TOO_LARGE", "INTERRUPTED"})
  void whatTheRequestCausedIsNotTriedElsewhere(Kind kind) {
    assertThat(walk(plan(3, "a:1", "b:2"), kind)).containsExactly("a");
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"CREDENTIAL_REFUSED", "MODEL_MISSING", "POOL_FULL"})
  void whatAProviderWillSayAgainIsTriedElsewhereOnly(Kind kind) {
    assertThat(walk(plan(3, "a:1", "b:2"), kind)).containsExactly("a", "b");
  }

  @Test
  void anotherKeyIsTriedFirstUnlessItsProviderIsBarred() {
    RoutePlan plan = plan(3, "a:1", "b:2");
    Candidate first = plan.candidates().getFirst();
    UpstreamFailure refused = UpstreamFailure.of(Kind.CREDENTIAL_REFUSED, "m");
    var failed = List.of(new NextAttempt.Failed(first, refused));
    assertThat(NextAttempt.after(plan, failed, _ -> false, _ -> true, RANDOM))
        .isEqualTo(new NextAttempt.Retry(first, Duration.ZERO));
    assertThat(NextAttempt.after(plan, failed, first::isSame, _ -> true, RANDOM))
        .as("its circuit opened meanwhile, or its retries are used up")
        .isEqualTo(new NextAttempt.Retry(plan.candidates().getLast(), Duration.ZERO));
  }

  @Test
  void aBarredCandidateIsNeverChosen() {
    Seeds.forEach(
        1_000,
        random -> {
          RoutePlan plan = plan(3, "a:1", "b:2", "c:3");
          Kind kind = List.of(Kind.values()).get(random.nextInt(Kind.values().length));
          var failed =
              List.of(new NextAttempt.Failed(any(plan, random), UpstreamFailure.of(kind, "m")));
          List<Candidate> barred = List.of(any(plan, random), failed.getFirst().candidate());
          boolean otherKey = random.nextBoolean();
          NextAttempt next =
              NextAttempt.after(plan, failed, barred::contains, _ -> otherKey, random);
          if (next instanceof NextAttempt.Retry one) {
            assertThat(barred).doesNotContain(one.candidate());
          }
        });
  }

  private static Candidate any(RoutePlan plan, Random random) {
    return plan.candidates().get(random.nextInt(plan.candidates().size()));
  }

  @Test
  void thereAreNeverMoreAttemptsThanAllowed() {
    for (Kind kind : Kind.values()) {
      assertThat(walk(plan(3, "a:1", "b:2", "c:3", "d:4"), kind)).hasSizeLessThanOrEqualTo(3);
      assertThat(walk(plan(1, "a:1", "b:2"), kind)).containsExactly("a");
    }
  }

  @Test
  void theReasonNamesTheSelectedProviderAndTheFallbacks() {
    RoutePlan plan = plan(3, "azure:2", "groq:3", "openai:1");
    List<Candidate> all = plan.candidates();
    assertThat(
            plan.reason(
                all.get(0),
                true,
                plan.fallbacks(1, one -> !one.isSame(all.get(0))),
                new MicroUsd(123),
                false))
        .isEqualTo(
            "strategy=priority selected=openai priority=1 cost_micro=123 healthy=true"
                + " fallbacks=azure,groq");
    assertThat(plan.reason(all.get(2), false, plan.fallbacks(3, _ -> true), MicroUsd.ZERO, true))
        .isEqualTo(
            "strategy=priority selected=groq priority=3 cost_micro=0 healthy=false"
                + " fallbacks=none committed=early");
  }

  private static NextAttempt after(RoutePlan plan, Kind kind, int retryAfterSeconds) {
    UpstreamFailure failure = new UpstreamFailure(kind, 0, "m", null, null, retryAfterSeconds);
    var failed = List.of(new NextAttempt.Failed(plan.candidates().getFirst(), failure));
    return NextAttempt.after(plan, failed, _ -> false, _ -> false, RANDOM);
  }

  /** Returns the providers that are tried if each of them fails in this way. */
  private static List<String> walk(RoutePlan plan, Kind kind) {
    return walked(plan, kind).stream().map(one -> one.id().value()).toList();
  }

  private static List<Candidate> walked(RoutePlan plan, Kind kind) {
    List<NextAttempt.Failed> failed = new ArrayList<>();
    Candidate candidate = plan.candidates().getFirst();
    while (true) {
      failed.add(new NextAttempt.Failed(candidate, UpstreamFailure.of(kind, "m")));
      switch (NextAttempt.after(plan, failed, _ -> false, _ -> false, RANDOM)) {
        case NextAttempt.Retry next -> candidate = next.candidate();
        case NextAttempt.GiveUp _ -> {
          return failed.stream().map(NextAttempt.Failed::candidate).toList();
        }
      }
    }
  }

  /** Returns the routes of some models that are tried, in their order. */
  private static List<String> models(Kind kind, String... modelsAndSlugs) {
    List<Candidate> candidates =
        Stream.of(modelsAndSlugs)
            .map(one -> one.split("@", -1))
            .map(
                parts -> {
                  Route route = new Route(provider(parts[1]), parts[0], 1, 1);
                  return new Candidate(model(parts[0], List.of(route)), route);
                })
            .toList();
    return walked(plan(3, candidates), kind).stream()
        .map(one -> one.model().id().name() + "@" + one.id())
        .toList();
  }

  private static RoutePlan plan(int attemptsMax, String... slugsAndPriorities) {
    List<Route> routes = new ArrayList<>();
    for (String one : slugsAndPriorities) {
      String[] parts = one.split(":", -1);
      routes.add(new Route(provider(parts[0]), "m", Integer.parseInt(parts[1]), 1));
    }
    Model model = model("m1", routes);
    return plan(
        attemptsMax,
        routes.stream()
            .sorted(Comparator.comparingInt(Route::priority))
            .map(route -> new Candidate(model, route))
            .toList());
  }

  private static RoutePlan plan(int attemptsMax, List<Candidate> candidates) {
    var rules = new RoutingRules(Strategy.PRIORITY, attemptsMax, 0.1, 3, 0, null);
    return new RoutePlan(
        TestCatalog.ORG,
        Strategy.PRIORITY,
        candidates,
        candidates,
        rules,
        List.of(),
        RoutePlan.CredentialPolicy.HEALTHY_ONLY);
  }

  private static Model model(String name, List<Route> routes) {
    return new Model(
        new ModelId("acme", name),
        Modality.CHAT,
        "m",
        "",
        Instant.EPOCH,
        0,
        0,
        0,
        0,
        Set.of(),
        PriceList.FREE,
        Resume.OFF,
        false,
        routes,
        Duration.ZERO);
  }

  private static Provider provider(String slug) {
    return new Provider(
        new ProviderId(slug),
        "openai",
        new EndpointIdentity(false, "127.0.0.1", 1),
        "",
        List.of(),
        Map.of(),
        Provider.ProviderTimeouts.DEFAULT,
        Provider.PoolLimits.DEFAULT,
        Provider.CircuitOptions.DEFAULT,
        Provider.Quirks.NONE,
        new Provider.OnDisconnect.Cancel(),
        1);
  }
}
