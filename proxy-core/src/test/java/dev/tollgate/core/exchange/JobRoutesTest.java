package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.routing.Breaker;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.InMemoryBlobs;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Submission, looks and ends of media jobs, as clients meet them. */
final class JobRoutesTest {
  private static final long PICO = 1_000_000;
  private static final String BODY =
      "{\"model\":\"acme/one\",\"prompt\":\"a dog\",\"duration_seconds\":2%s}";

  private static Catalog catalog(Modality modality) {
    Provider[] providers = TestCatalog.all("alpha", "beta");
    Model m = TestCatalog.of(modality, providers).models().iterator().next();
    var prices =
        new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 0, List.of(), 100 * PICO, 100 * PICO);
    Model film =
        new Model(
            m.id(),
            modality,
            m.name(),
            m.description(),
            m.created(),
            0,
            0,
            0,
            0,
            Set.of(),
            prices,
            Resume.OFF,
            false,
            m.routes(),
            Duration.ofSeconds(4));
    return new Catalog(List.of(providers), List.of(film));
  }

  private static Scenario scenario(Modality modality) {
    return scenario(catalog(modality));
  }

  private static Scenario scenario(Catalog catalog) {
    return Scenario.storing(
        catalog, new InMemoryBlobs(() -> Scenario.NOW, Duration.ofHours(1)), 1 << 20);
  }

  private static Scenario scenario() {
    return scenario(Modality.VIDEO);
  }

  private static RecordedClient submit(Scenario scenario, String more, String key) {
    return scenario.submit(Endpoint.VIDEO_GENERATIONS, BODY.formatted(more), key);
  }

  @Test
  void itsModelMayBeAskedForByItsShortName() {
    try (var scenario = scenario()) {
      String body = BODY.formatted("").replace("acme/one", "one");
      RecordedClient client = scenario.submit(Endpoint.VIDEO_GENERATIONS, body, "k");
      assertThat(client.whole().status()).isEqualTo(202);
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/one");
    }
  }

  @Test
  void whatItsProviderWillNotGetIsNamed() {
    try (var scenario = scenario()) {
      String more = ",\"service_tier\":\"priority\",\"Models\":[\"a/b\"],\"seed\":1";
      RecordedClient client = submit(scenario, more, "k");
      assertThat(client.whole().status()).isEqualTo(202);
      assertThat(client.field("X-LLM-Dropped")).isEqualTo("service_tier, Models");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSubmissionIsAcceptedAndHoldsOneAndAHalfTimesItsEstimate(JobKind kind) {
    try (var scenario = scenario(kind.modality())) {
      Endpoint endpoint =
          kind == JobKind.VIDEO ? Endpoint.VIDEO_GENERATIONS : Endpoint.MUSIC_GENERATIONS;
      RecordedClient client = scenario.submit(endpoint, BODY.formatted(""), "k");
      JobSpec spec = scenario.jobs().specs().getFirst();
      assertThat(spec.reserved()).isEqualTo(new MicroUsd(300));
      assertThat(spec.provider()).isEqualTo("alpha");
      assertThat(spec.kind()).isEqualTo(kind);
      assertThat(client.whole().status()).isEqualTo(202);
      assertThat(client.whole().body())
          .isEqualTo(
              ("{'id':'%s','object':'%s.generation','status':'queued','model':'acme/one',"
                      + "'created_at':'2026-03-01T12:00:00Z','estimated_cost_micro':300}")
                  .replace('\'', '"')
                  .formatted(spec.id(), kind.wire()));
      assertThat(client.field("X-LLM-Provider")).isEqualTo("alpha");
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/one");
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("300");
      assertThat(client.field("X-LLM-Routing-Reason"))
          .startsWith("strategy=priority selected=alpha priority=1 cost_micro=300");
      assertThat(client.hasField("Idempotent-Replayed")).isFalse();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(scenario.served().provider()).hasToString("alpha");
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void aReplayIsTheSameJobAndAnotherBodyAConflict() {
    try (var scenario = scenario()) {
      String first = submit(scenario, "", "k").whole().body();
      RecordedClient again = submit(scenario, "", "k");
      assertThat(again.whole().status()).isEqualTo(202);
      assertThat(again.whole().body()).isEqualTo(first);
      assertThat(again.field("Idempotent-Replayed")).isEqualTo("true");
      Fault fault = submit(scenario, ",\"audio\":true", "k").fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
      assertThat(fault.retryAfterSeconds()).isZero();
      assertThat(submit(scenario, "", "l").whole().body()).isNotEqualTo(first);
    }
  }

  @Test
  void noSubmissionGoesWithoutAKey() {
    try (var scenario = scenario()) {
      RecordedClient client = scenario.ask(Endpoint.VIDEO_GENERATIONS, BODY.formatted(""));
      assertThat(client.fault().code()).isEqualTo(ErrorCode.IDEMPOTENCY_KEY_REQUIRED);
      assertThat(submit(scenario, "", "x".repeat(256)).fault().param())
          .isEqualTo("Idempotency-Key");
      assertThat(scenario.jobs().specs()).isEmpty();
    }
  }

  @Test
  void withoutStorageNothingIsTaken() {
    try (var scenario = Scenario.of(catalog(Modality.VIDEO))) {
      assertThat(submit(scenario, "", "k").fault().code()).isEqualTo(ErrorCode.NOT_CONFIGURED);
    }
  }

  @Test
  void scopeKindAndCapAreHeldTo() {
    try (var scenario = scenario()) {
      String music = BODY.formatted("");
      assertThat(scenario.submit(Endpoint.MUSIC_GENERATIONS, music, "k").fault())
          .returns(ErrorCode.VALIDATION_FAILED, Fault::code)
          .returns("model", Fault::param);
      assertThat(submit(scenario, ",\"max_cost_micro\":199", "k").fault().param())
          .isEqualTo("max_cost_micro");
      assertThat(submit(scenario, ",\"max_cost_micro\":200", "k").whole().status()).isEqualTo(202);
      assertThat(scenario.jobs().last().estimated()).isEqualTo(new MicroUsd(200));
      scenario.keyScope(new KeyScope(Set.of(), Set.of("chat"), Set.of()));
      assertThat(submit(scenario, "", "l").fault().code())
          .isEqualTo(ErrorCode.MODALITY_NOT_ALLOWED);
      scenario.keyScope(new KeyScope(Set.of("acme/two"), Set.of(), Set.of()));
      assertThat(submit(scenario, "", "l").fault().code()).isEqualTo(ErrorCode.MODEL_NOT_ALLOWED);
    }
  }

  @Test
  void limitsAreHeldToAndGivenBack() {
    try (var scenario = scenario()) {
      scenario.limits(
          new LimitRules(
              Rates.OFF, Rates.OFF, new PerKey(new Rates(1, 0), 0, 1), Rates.OFF, Map.of()));
      assertThat(submit(scenario, "", "k").whole().status()).isEqualTo(202);
      assertThat(submit(scenario, "", "l").fault().code()).isEqualTo(ErrorCode.RATE_LIMITED);
      assertThat(scenario.slotsInUse()).isZero();
      assertThat(scenario.jobs().specs()).hasSize(1);
    }
  }

  @Test
  void anInsufficientBalanceIsReportedWithTheMissingAmount() {
    try (var scenario = scenario()) {
      var none = MicroUsd.ZERO;
      for (ScopeKind kind : ScopeKind.values()) {
        Payer payer = Payer.of(TestCatalog.key(), submitOnce(scenario));
        var shortage = new Shortage(payer.scope(kind), new MicroUsd(7), none, none, false);
        scenario.jobs().next(new JobRepository.SubmitResult.InsufficientBudget(List.of(shortage)));
        Fault fault = submit(scenario, "", "k" + kind).fault();
        assertThat(fault.code()).isEqualTo(kind.refusal());
        assertThat(fault.details()).containsEntry("limit_micro", 7L);
        assertThat(fault.details()).containsEntry("required_micro", 300L);
      }
    }
  }

  private static RequestId submitOnce(Scenario scenario) {
    submit(scenario, "", UUID.randomUUID().toString());
    return scenario.jobs().specs().getLast().request();
  }

  @Test
  void urlsAreJudgedBeforeAnythingIsHeld() {
    try (var scenario = scenario()) {
      scenario.names().answer("good.example", "93.184.216.34");
      scenario.names().answer("bad.example", "93.184.216.34,10.0.0.1");
      for (String name : List.of("webhook_url", "image_url", "end_image_url")) {
        String more = ",\"" + name + "\":\"https://bad.example/x\"";
        assertThat(submit(scenario, more, "k").fault())
            .returns(ErrorCode.SSRF_BLOCKED, Fault::code)
            .returns(name, Fault::param);
      }
      String images = ",\"input_images\":[\"https://good.example/a\",\"https://bad.example/b\"]";
      assertThat(submit(scenario, images, "k").fault().param()).isEqualTo("input_images[1]");
      String nowhere = ",\"webhook_url\":\"https://nowhere.example/\"";
      assertThat(submit(scenario, nowhere, "k").fault())
          .returns(ErrorCode.VALIDATION_FAILED, Fault::code);
      assertThat(scenario.jobs().specs()).isEmpty();
      String good = ",\"webhook_url\":\"https://good.example/hook\"";
      assertThat(submit(scenario, good, "k").whole().status()).isEqualTo(202);
      assertThat(scenario.jobs().last().webhookUrl()).isEqualTo("https://good.example/hook");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "VIDEO, webhook_url",
    "VIDEO, image_url",
    "VIDEO, end_image_url",
    "VIDEO, input_images[0]",
    "MUSIC, webhook_url",
  })
  @Tag("corpus")
  void everyUrlOfTheCorpusGetsItsVerdict(JobKind kind, String param) {
    Endpoint endpoint =
        kind == JobKind.VIDEO ? Endpoint.VIDEO_GENERATIONS : Endpoint.MUSIC_GENERATIONS;
    String member = param.endsWith("[0]") ? ",\"input_images\":[%s]" : ",\"" + param + "\":%s";
    for (String[] row : Corpora.rows("data/ssrf.tsv")) {
      String url =
          row[0]
              .replace("\\t", "\t")
              .replace("\\n", "\n")
              .replace("\\r", "\r")
              .replace("\\x00", "\0")
              .replace("\\\\", "\\");
      String host = url.replaceFirst("(?i)^https:/*", "").replaceFirst("[:/?#].*", "");
      try (var scenario = scenario(kind.modality())) {
        if (!row[4].equals("-")) {
          String name = host.toLowerCase(Locale.ROOT).replaceAll("\\.$", "");
          scenario.names().answer(name, row[4].replace("SELF", "127.0.0.1").split(";"));
        }
        String json = JsonBytes.string(url).toString();
        String body = BODY.formatted(member.formatted(json));
        RecordedClient client = scenario.submit(endpoint, body, "k");
        if (row[1].equals("block")) {
          boolean isNul = url.indexOf('\0') >= 0;
          boolean isUnresolved =
              !param.equals("webhook_url") && List.of("NXDOMAIN", "SERVFAIL").contains(row[4]);
          assertThat(client.fault().code().wire())
              .as("%s", List.of(row))
              .isEqualTo(isNul ? "validation_failed" : isUnresolved ? "ssrf_blocked" : row[2]);
          assertThat(client.fault().param()).isEqualTo(param);
          assertThat(scenario.jobs().specs()).as("%s", List.of(row)).isEmpty();
        } else {
          assertThat(client.whole().status()).as("%s", List.of(row)).isEqualTo(202);
        }
      }
    }
  }

  @Test
  void aJobIsShownToItsOwnerUnderItsKindAlone() {
    try (var scenario = scenario()) {
      submit(scenario, ",\"metadata\":{\"a\":\"b\"}", "k");
      Job job = scenario.jobs().last();
      String id = job.id().toString();
      String shown = scenario.job(Endpoint.VIDEO_JOB, id).whole().body();
      assertThat(shown).contains("\"status\":\"queued\"", "\"metadata\":{\"a\":\"b\"}");
      assertThat(scenario.job(Endpoint.JOB, id).whole().body()).isEqualTo(shown);
      String wrongKind = scenario.job(Endpoint.MUSIC_JOB, id).fault().toString();
      String unknown = scenario.job(Endpoint.VIDEO_JOB, UUID.randomUUID() + "").fault().toString();
      String noId = scenario.job(Endpoint.VIDEO_JOB, "7").fault().toString();
      scenario.of(new OrgId(new UUID(3, 4)));
      String others = scenario.job(Endpoint.VIDEO_JOB, id).fault().toString();
      assertThat(List.of(wrongKind, noId, others)).containsOnly(unknown);
      assertThat(unknown).contains("NOT_FOUND");
    }
  }

  @Test
  void aJobIsCanceledOrRemovedOrContinues() {
    try (var scenario = scenario()) {
      submit(scenario, "", "k");
      Job job = scenario.jobs().last();
      String id = job.id().toString();
      scenario.jobs().next(new JobRepository.DeleteResult.Canceled(job));
      assertThat(scenario.job(Endpoint.VIDEO_JOB_DELETION, id).whole())
          .returns(200, RecordedClient.Answer.Whole::status);
      scenario.jobs().next(new JobRepository.DeleteResult.Removed());
      assertThat(scenario.job(Endpoint.MUSIC_JOB_DELETION, id).whole())
          .returns(204, RecordedClient.Answer.Whole::status)
          .returns("", RecordedClient.Answer.Whole::body);
      scenario.jobs().next(new JobRepository.DeleteResult.NotCancellable());
      assertThat(scenario.job(Endpoint.VIDEO_JOB_DELETION, id).fault().code())
          .isEqualTo(ErrorCode.JOB_NOT_CANCELLABLE);
      assertThat(scenario.job(Endpoint.VIDEO_JOB_DELETION, id).fault().code())
          .isEqualTo(ErrorCode.NOT_FOUND);
    }
  }

  @Test
  void aStoreThatDoesNotAnswerIsNotWaitedForForEver() {
    try (var scenario = scenario()) {
      scenario.jobs().holdAnswers();
      String id = UUID.randomUUID().toString();
      RecordedClient looks = scenario.job(Endpoint.JOB, id);
      RecordedClient submits = submit(scenario, "", "k");
      RecordedClient leaves = submit(scenario, "", "l");
      leaves.disconnect(RequestService.DisconnectReason.ABORTED);
      scenario.passSeconds(16);
      assertThat(looks.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(submits.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(scenario.records()).hasSize(3);
      scenario.jobs().releaseAnswers();
    }
  }

  @Test
  void aBodyCountsForAsLongAsTheStoreHasIt() {
    try (var scenario = scenario()) {
      for (boolean isLookedFor : List.of(true, false)) {
        if (isLookedFor) {
          scenario.jobs().holdAnswers();
        } else {
          scenario.jobs().holdAnswersAfter(1);
        }
        RecordedClient client = submit(scenario, "", "k" + isLookedFor);
        client.disconnect(RequestService.DisconnectReason.ABORTED);
        scenario.run();
        assertThat(scenario.records()).isNotEmpty();
        assertThat(scenario.inflight().held()).isPositive();
        scenario.jobs().releaseAnswers();
        assertThat(scenario.inflight().held()).isZero();
      }
    }
  }

  private static void takeOut(Scenario scenario, Provider provider) {
    Breaker endpoint = scenario.fleet().provider(provider).endpoint();
    CircuitOptions rules = provider.circuit();
    long now = scenario.nanos();
    while (endpoint.isClosed()) {
      Breaker.Permit permit = endpoint.tryAcquire(TestCatalog.ORG, rules, now).orElseThrow();
      var _ = endpoint.failed(permit, TestCatalog.ORG, rules, now);
    }
  }

  @Test
  void aReplayNeedsNeitherAProviderNorLimitsNorTheHost() {
    Catalog catalog = catalog(Modality.VIDEO);
    try (var scenario = scenario(catalog)) {
      scenario.names().answer("gone.example", "93.184.216.34", "NXDOMAIN");
      scenario.limits(
          new LimitRules(
              Rates.OFF, Rates.OFF, new PerKey(new Rates(1, 0), 0, 1), Rates.OFF, Map.of()));
      String more = ",\"webhook_url\":\"https://gone.example/hook\"";
      String first = submit(scenario, more, "k").whole().body();
      RecordedClient again = submit(scenario, more, "k");
      assertThat(again.whole())
          .returns(202, RecordedClient.Answer.Whole::status)
          .returns(first, RecordedClient.Answer.Whole::body);
      assertThat(again.field("Idempotent-Replayed")).isEqualTo("true");
      assertThat(again.field("X-LLM-Provider")).isEqualTo("alpha");
      assertThat(scenario.records().getLast().outcome()).isEqualTo(RequestOutcome.REPLAYED);
      assertThat(submit(scenario, "", "k").fault().code())
          .isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);

      assertThat(submit(scenario, "", "new").fault().code()).isEqualTo(ErrorCode.RATE_LIMITED);

      catalog.providers().forEach(provider -> takeOut(scenario, provider));
      assertThat(submit(scenario, more, "k").whole().body()).isEqualTo(first);
      assertThat(submit(scenario, "", "new").fault().code())
          .isEqualTo(ErrorCode.NO_PROVIDER_AVAILABLE);
      assertThat(scenario.jobs().specs()).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "DELETE", "POST"})
  void theirPathsAreMatched(String method) {
    String id = "/" + UUID.randomUUID();
    for (String kind : List.of("video", "music")) {
      assertThat(Endpoint.match(method, "/v1/" + kind + "/generations" + id).isPresent())
          .isEqualTo(!method.equals("POST"));
      assertThat(Endpoint.match(method, "/v1/" + kind + "/generations/")).isEmpty();
    }
    assertThat(Endpoint.match(method, "/v1/jobs" + id).isPresent()).isEqualTo(method.equals("GET"));
    assertThat(Endpoint.match(method, "/v1/jobs" + id + "/x")).isEmpty();
  }
}
