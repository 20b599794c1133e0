package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.InMemoryLedger.Charged;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Another model of {@code routing.models} serves: {@code acme/one} at alpha costs 1 and 2 micro-USD
 * per token, {@code acme/two} at beta ten times as much.
 */
class FallbackModelsTest {
  private static final String MISSING = OpenAiWire.error(404, "model_not_found", "no such model");
  private static final String OOPS = OpenAiWire.error(500, "server_error", "oops");
  private static final String TOO_LONG =
      OpenAiWire.error(400, "context_length_exceeded", "too long");
  private static final int CONTEXT = 100_000;

  @Test
  void theModelThatServedIsNamedEverywhereAndChargedAtItsOwnPrice() {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(MISSING);
      ProviderLink beta = scenario.link(1);
      assertThat(beta.host()).isEqualTo("beta.example");
      assertThat(beta.received())
          .contains("\"model\":\"two-at-beta\"")
          .doesNotContain("acme/", "routing");
      beta.send(OpenAiWire.completion("fine"));

      assertThat(client.whole().body())
          .contains("\"model\":\"acme/two\"", "\"x_llm_cost_micro\":90");
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/two");
      assertThat(client.field("X-LLM-Provider")).isEqualTo("beta");
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("90");
      assertThat(client.field("X-LLM-Routing-Reason"))
          .isEqualTo(
              "strategy=priority selected=beta priority=1 cost_micro=90 healthy=true"
                  + " fallbacks=none");
      assertThat(scenario.served().model()).hasToString("acme/two");
      assertThat(scenario.served().cost()).isEqualTo(new MicroUsd(90));
      assertThat(scenario.ledger().charged())
          .extracting(Charged::cost)
          .containsExactly(new MicroUsd(90));
    }
  }

  @Test
  void aStreamOfAnotherModelNamesItInEveryChunk() {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      RecordedClient client = scenario.ask(stream("acme/one", "acme/two"));
      scenario.link(0).send(MISSING);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one", "two"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/two");
      assertThat(client.text())
          .contains("\"model\":\"acme/two\"", "\"x_llm_cost_micro\":110")
          .doesNotContain("acme/one");
      assertThat(scenario.served().cost()).isEqualTo(new MicroUsd(110));
    }
  }

  @Test
  void aStreamThatBreaksOffIsChargedAtThePriceOfItsModel() {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      scenario.ask(stream("acme/one", "acme/two"));
      scenario.link(0).send(MISSING);
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")))
          .fin();
      var served = scenario.served();
      long own = 10 * served.usage().promptTokens() + 20 * served.usage().completionTokens();
      assertThat(served.cost()).isEqualTo(new MicroUsd(own));
    }
  }

  @Test
  void anotherModelContinuesAStreamAndEachPartIsChargedAtThePriceOfItsModel() {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      RecordedClient client =
          scenario.ask(
              stream("acme/one", "acme/two")
                  .replace("\"routing\":{", "\"routing\":{\"resume\":\"replay\","));
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.usage(7, 0))
                  + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.passSeconds(31); // silent: its own provider is not asked again
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one", "two"));
      assertThat(ClientStream.of(client).content).hasToString("onetwo");
      assertThat(client.text()).contains("\"model\":\"acme/one\"", "\"model\":\"acme/two\"");
      assertThat(scenario.ledger().charged())
          .extracting(Charged::cost)
          .containsExactly(new MicroUsd(7 + 2 + 70 + 40));
    }
  }

  @Test
  void whatTheDearestModelMayCostIsSetAside() {
    MicroUsd one = reserved(plain("acme/one"));
    MicroUsd two = reserved(plain("acme/two"));
    assertThat(two).isGreaterThan(one);
    assertThat(reserved(plain("acme/one", "acme/two"))).isEqualTo(two);
    assertThat(reserved(plain("acme/two", "acme/one"))).isEqualTo(two);
  }

  private static MicroUsd reserved(String request) {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      scenario.ask(request);
      scenario.link(0).send(OpenAiWire.completion("fine"));
      return scenario.ledger().charged().getFirst().reserved();
    }
  }

  @Test
  void anotherModelComesOnlyAfterItsOwnProviderWasAskedOnceMore() {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(OOPS);
      assertThat(scenario.links()).isOne();
      scenario.passMillis(600).link(0).send(OOPS);
      scenario.link(1).send(OpenAiWire.completion("fine"));
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/two");
      assertThat(outcomes(scenario))
          .containsExactly("alpha server_error", "alpha server_error", "beta ok");
    }
  }

  /** {@code acme/two} is served by alpha, too, which is preferred. */
  @Test
  void theFallbacksOtherProviderServesWhereItsFirstIsTheOneThatFailed() {
    Provider alpha = TestCatalog.provider("alpha");
    Provider beta = TestCatalog.provider("beta");
    Model one = TestCatalog.of(alpha).models().iterator().next();
    Model two = another(one, "two", CONTEXT, alpha, beta);
    Catalog catalog = new Catalog(List.of(alpha, beta), List.of(one, two));
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient failed = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(OOPS);
      scenario.passMillis(600).lastRequestLink().send(OOPS);
      assertThat(scenario.lastRequestLink().host()).isEqualTo("beta.example");
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(failed.field("X-LLM-Model")).isEqualTo("acme/two");
    }
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient silent = scenario.ask(stream("acme/one", "acme/two"));
      scenario.passSeconds(30);
      assertThat(scenario.lastRequestLink().host()).isEqualTo("beta.example");
      scenario.lastRequestLink().send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(silent.text()).contains("\"provider\":\"beta\"");
    }
  }

  @Test
  void aRequestThatIsTooLongGoesToALargerModelOnly() {
    try (var scenario = Scenario.of(catalog(2 * CONTEXT))) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(TOO_LONG);
      scenario.link(1).send(OpenAiWire.completion("fine"));
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/two");
    }
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(TOO_LONG);
      assertThat(client.fault().code().wire()).isEqualTo("validation_failed");
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void whereAllFailTheLastOneIsNamed() {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(MISSING);
      scenario.link(1).send(MISSING);
      assertThat(client.fault().provider()).hasToString("beta");
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/two");
      assertThat(scenario.ledger().released()).isOne();
      assertThat(outcomes(scenario)).containsExactly("alpha model_missing", "beta model_missing");
    }
  }

  @Test
  void aModelThatIsNotThereIsRefusedByTheNameOfItsField() {
    try (var scenario = Scenario.of(catalog(CONTEXT))) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two", "acme/three"));
      assertThat(client.fault().code().wire()).isEqualTo("model_not_found");
      assertThat(client.fault().param()).isEqualTo("routing.models[1]");
      assertThat(scenario.links()).isZero();
    }
  }

  @Test
  void eachModelIsCountedWhenItIsAskedAndOneThatIsUsedUpIsPassedOver() {
    LimitRules rules = ofModels(Map.of("acme/one", 9, "acme/two", 1));
    try (var scenario = Scenario.of(catalog(CONTEXT)).limits(rules)) {
      scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(OpenAiWire.completion("no fallback, and nothing of the other's limit"));

      RecordedClient fallback = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(MISSING);
      scenario.link(1).send(OpenAiWire.completion("fine"));
      assertThat(fallback.field("X-LLM-Model")).isEqualTo("acme/two");

      RecordedClient above = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(MISSING);
      assertThat(above.fault().code().wire()).isEqualTo("provider_error");
      assertThat(above.fault().provider()).hasToString("alpha");
      assertThat(scenario.ask(plain("acme/two")).fault().details())
          .as("a request for it finds its limit used up, too")
          .containsEntry("scope", "model");

      scenario.passSeconds(1);
      scenario.ask(plain("acme/two"));
      scenario.link(1).send(OpenAiWire.completion("fine"));
      assertThat(scenario.records().getLast().status()).isEqualTo(200);
    }
  }

  @Test
  void whereTheModelAskedForCannotServeTheLimitOfTheNextOneIsNoRefusal() {
    LimitRules rules = ofModels(Map.of("acme/one", 9, "acme/two", 1));
    try (var scenario = Scenario.of(threeModels()).limits(rules)) {
      scenario.ask(plain("acme/one", "acme/two", "acme/three"));
      scenario.link(0).send(OpenAiWire.error(429, "Retry-After: 50\r\n", "rate_limit", "slow"));
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(scenario.served().model()).hasToString("acme/two");
      assertThat(scenario.skippedByLimit()).isEmpty();

      RecordedClient next = scenario.ask(plain("acme/one", "acme/two", "acme/three"));
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(next.field("X-LLM-Model")).isEqualTo("acme/three");
      assertThat(scenario.skippedByLimit()).containsExactly("acme/two rate_limited");

      RecordedClient unknown = scenario.ask(plain("acme/one", "acme/two"));
      assertThat(unknown.fault().code().wire()).isEqualTo("no_provider_available");
      assertThat(unknown.fault().retryAfterSeconds()).isOne();
      assertThat(scenario.ledger().open()).isZero();
    }
  }

  @Test
  void aModelWhoseLimitIsUnknownIsSkipped() {
    LimitRules rules = ofModels(Map.of("acme/two", 1));
    try (var scenario = Scenario.of(catalog(CONTEXT)).limits(rules)) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.counters().setUnavailable();
      scenario.link(0).send(MISSING);
      assertThat(client.fault().provider()).hasToString("alpha");
      assertThat(scenario.skippedByLimit()).containsExactly("acme/two service_unavailable");
    }
  }

  @Test
  void withoutACandidateAfterAnEarlyCommitTheStreamEndsWithUsageAndFault() {
    LimitRules rules = ofModels(Map.of("acme/two", 1));
    Provider alpha = TestCatalog.withSensitiveBreaker("alpha");
    try (var scenario = Scenario.of(catalog(CONTEXT, alpha)).limits(rules)) {
      scenario.ask(stream("acme/one"));
      scenario.ledger().holdAnswers();
      RecordedClient client = scenario.ask(stream("acme/one", "acme/two"));
      scenario.link(0).send(OOPS);
      scenario.counters().holdAnswers();
      scenario.ledger().answer();
      scenario.passSeconds(16);
      assertThat(client.isOpened()).isTrue();
      scenario.counters().setUnavailable();
      scenario.counters().answer();
      assertThat(client.fault().code().wire()).isEqualTo("no_provider_available");
      assertThat(client.pieces().getLast()).contains("\"choices\":[]", "\"x_llm_cost_micro\":0");
      assertThat(scenario.records().getLast().status()).isEqualTo(200);
      assertThat(scenario.lastServed().cost()).isEqualTo(MicroUsd.ZERO);
    }
  }

  @Test
  void aClientThatLeavesWhileTheOtherModelsLimitIsAskedIsNotServed() {
    LimitRules rules = ofModels(Map.of("acme/two", 1));
    try (var scenario = Scenario.of(catalog(CONTEXT)).limits(rules)) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.counters().holdAnswers();
      scenario.link(0).send(MISSING);
      assertThat(client.isAnswered()).isFalse();
      client.disconnect(DisconnectReason.ABORTED);
      scenario.counters().answer();
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void aModelThatTheRetryBudgetKeepsFromBeingAskedLosesNothingOfItsLimit() {
    LimitRules rules = ofModels(Map.of("acme/two", 1));
    var none = new RoutingRules(Strategy.PRIORITY, 3, 0, 0, 1 << 20, null);
    Catalog catalog = catalog(CONTEXT, "alpha", none);
    try (var scenario = Scenario.of(catalog).limits(rules)) {
      RecordedClient client = scenario.ask(plain("acme/one", "acme/two"));
      scenario.link(0).send(MISSING);
      assertThat(client.fault().provider()).hasToString("alpha");
      RecordedClient direct = scenario.ask(plain("acme/two"));
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(direct.field("X-LLM-Model")).isEqualTo("acme/two");
    }
  }

  static LimitRules limited(String model, Rates rates) {
    ModelId id = ModelId.parse(model).orElseThrow();
    return new LimitRules(
        Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 0, 0), Rates.OFF, Map.of(id, rates));
  }

  private static LimitRules ofModels(Map<String, Integer> perSecond) {
    Map<ModelId, Rates> models = new HashMap<>();
    perSecond.forEach(
        (model, rate) -> models.put(ModelId.parse(model).orElseThrow(), new Rates(rate, 0)));
    return new LimitRules(Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 0, 0), Rates.OFF, models);
  }

  private static List<String> outcomes(Scenario scenario) {
    return scenario.served().attempts().stream()
        .map(attempt -> attempt.provider() + " " + attempt.outcome())
        .toList();
  }

  private static String plain(String model, String... others) {
    return request("", model, others);
  }

  private static String stream(String model, String... others) {
    return request("\"stream\":true,", model, others);
  }

  private static String request(String more, String model, String... others) {
    String names = others.length == 0 ? "" : "\"" + String.join("\",\"", others) + "\"";
    return "{\"model\":\""
        + model
        + "\","
        + more
        + "\"routing\":{\"models\":["
        + names
        + "]},\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}]}";
  }

  private static Catalog catalog(int contextOfTwo) {
    return catalog(contextOfTwo, "beta", RoutingRules.DEFAULT);
  }

  private static Catalog threeModels() {
    Catalog two = catalog(CONTEXT);
    Provider gamma = TestCatalog.provider("gamma");
    List<Provider> providers = new ArrayList<>(two.providers());
    providers.add(gamma);
    List<Model> models = new ArrayList<>(two.models());
    models.add(another(models.getFirst(), "three", CONTEXT, gamma));
    return new Catalog(providers, models, RoutingRules.DEFAULT);
  }

  private static Model another(Model one, String name, int context, Provider... of) {
    return new Model(
        new ModelId("acme", name),
        one.modality(),
        "Another",
        "Another model for tests.",
        one.created(),
        context,
        one.outputTokensMax(),
        one.outputTokensReserved(),
        one.imageTokensReserved(),
        one.capabilities(),
        PriceList.ofTokens(TokenPrices.of(10_000_000, 20_000_000)),
        Resume.OFF,
        false,
        IntStream.range(0, of.length)
            .mapToObj(i -> new Route(of[i], name + "-at-" + of[i].id(), i + 1, 1))
            .toList(),
        Duration.ZERO);
  }

  private static Catalog catalog(int contextOfTwo, String providerOfTwo, RoutingRules rules) {
    return catalog(contextOfTwo, TestCatalog.provider("alpha"), providerOfTwo, rules);
  }

  static Catalog catalog(int contextOfTwo, Provider ofOne) {
    return catalog(contextOfTwo, ofOne, "beta", RoutingRules.DEFAULT);
  }

  private static Catalog catalog(
      int contextOfTwo, Provider ofOne, String providerOfTwo, RoutingRules rules) {
    Provider ofTwo = TestCatalog.provider(providerOfTwo);
    Catalog usual = TestCatalog.of(ofOne);
    Model one = usual.models().iterator().next();
    Model two = another(one, "two", contextOfTwo, ofTwo);
    Provider alpha = usual.providers().iterator().next();
    List<Provider> both = providerOfTwo.equals("alpha") ? List.of(alpha) : List.of(alpha, ofTwo);
    return new Catalog(both, List.of(one, two), rules);
  }
}
