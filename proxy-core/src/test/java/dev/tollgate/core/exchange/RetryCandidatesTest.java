package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The next candidate is chosen by the state at the time of the failure, not of the request. */
class RetryCandidatesTest {
  private static final String OOPS = OpenAiWire.error(500, "server_error", "oops");
  private static final String LIMITED =
      OpenAiWire.error(429, "Retry-After: 10\r\n", "rate_limit_exceeded", "slow down");
  private static final String REASON = "X-LLM-Routing-Reason";

  @Test
  void aProviderWhoseCircuitWasOpenContinuesALongStreamThatBreaksOff() {
    try (var scenario =
        Scenario.of(TestCatalog.of(TestCatalog.withSensitiveBreaker("alpha"), plain("beta")))) {
      fail(scenario, "alpha");
      RecordedClient client = scenario.ask(stream(""));
      assertThat(last(scenario).host()).isEqualTo("beta.example");
      last(scenario).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one ")));
      assertThat(client.field(REASON)).contains("fallbacks=none");
      keepAlive(scenario);
      last(scenario).reset();
      assertThat(last(scenario).host()).isEqualTo("alpha.example");
      last(scenario).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one ", "two"));
      ResumeTest.requireWhole(client, "one two");
    }
  }

  @Test
  void whoCouldNotBeAskedAfterOneFailurePerhapsCanAfterTheNext() {
    Catalog catalog =
        TestCatalog.of(plain("alpha"), TestCatalog.withSensitiveBreaker("beta"), plain("gamma"));
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient client = scenario.ask(stream(""));
      fail(scenario, "beta");
      scenario.link(0).send(OOPS);
      assertThat(last(scenario).host()).isEqualTo("gamma.example");
      last(scenario).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one ")));
      keepAlive(scenario);
      last(scenario).reset();
      assertThat(last(scenario).host()).isEqualTo("beta.example");
      last(scenario).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one ", "two"));
      ResumeTest.requireWhole(client, "one two");
    }
  }

  @Test
  void aModelWhoseProviderWasLimitedIsFallenBackTo() {
    try (var scenario = Scenario.of(twoModels())) {
      MicroUsd usual = reserved(scenario, twoModelsAsked());
      scenario.ask(twoModelsAsked().replace("acme/one", "acme/two"));
      last(scenario).send(LIMITED);
      RecordedClient client = scenario.ask(twoModelsAsked());
      scenario.passSeconds(61); // silent
      assertThat(last(scenario).host()).isEqualTo("beta.example");
      last(scenario).send(OpenAiWire.completion("fine"));
      assertThat(client.field("X-LLM-Model")).isEqualTo("acme/two");
      assertThat(scenario.ledger().charged().getLast().reserved())
          .as("what it may cost there was set aside")
          .isEqualTo(usual);
    }
  }

  @Test
  void whoCannotBeAskedAnyMoreIsNotNamedAsAFallback() {
    try (var scenario =
        Scenario.of(TestCatalog.of(plain("alpha"), TestCatalog.withSensitiveBreaker("beta")))) {
      RecordedClient client = scenario.ask(stream(""));
      ProviderLink alpha = last(scenario);
      fail(scenario, "beta");
      alpha.send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
      assertThat(client.field(REASON)).contains("selected=alpha ").contains("fallbacks=none");
    }
  }

  @Test
  void whoFailedBeforeIsNotAskedAgainByABrokenStreamBeyondWhatTheTableSays() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma", "delta"))) {
      RecordedClient client = scenario.ask(stream(""));
      scenario.link(0).send(OOPS);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one ")));
      keepAlive(scenario);
      scenario.link(1).reset();
      assertThat(last(scenario).host()).isEqualTo("gamma.example");
      last(scenario).send(OOPS);
      scenario.passSeconds(5);
      assertThat(client.fault().provider()).hasToString("beta");
      assertThat(scenario.requests()).as("three tries, whatever the time").isEqualTo(3);
    }
  }

  /** Minutes pass on a stream that is not silent. */
  private static void keepAlive(Scenario scenario) {
    for (int i = 0; i < 12; i++) {
      scenario.passSeconds(10);
      last(scenario).send(OpenAiWire.chunk(": still here\n\n"));
    }
  }

  private static void fail(Scenario scenario, String provider) {
    scenario.ask(stream(",\"only\":[\"" + provider + "\"],\"timeout_ms\":100"));
    last(scenario).send(OOPS);
  }

  private static MicroUsd reserved(Scenario scenario, String request) {
    scenario.ask(request);
    last(scenario).send(OpenAiWire.completion("fine"));
    return scenario.ledger().charged().getLast().reserved();
  }

  /** The connection over which a provider was asked last. */
  private static ProviderLink last(Scenario scenario) {
    scenario.run();
    return IntStream.range(0, scenario.links())
        .mapToObj(scenario::link)
        .filter(ProviderLink::isOpen)
        .reduce((_, later) -> later)
        .orElseThrow();
  }

  private static Provider plain(String name) {
    return TestCatalog.provider(name);
  }

  private static String stream(String more) {
    return "{\"model\":\"acme/one\",\"stream\":true,\"routing\":{\"resume\":\"replay\""
        + more
        + "},\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}]}";
  }

  private static String twoModelsAsked() {
    return "{\"model\":\"acme/one\",\"routing\":{\"models\":[\"acme/two\"]},"
        + "\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}]}";
  }

  /** {@code acme/two} at beta costs ten times as much. */
  private static Catalog twoModels() {
    Catalog usual = TestCatalog.of("alpha");
    Model one = usual.models().iterator().next();
    Provider beta = TestCatalog.provider("beta");
    Model two =
        new Model(
            ModelId.parse("acme/two").orElseThrow(),
            one.modality(),
            "Two",
            "Another model for tests.",
            one.created(),
            one.contextLength(),
            one.outputTokensMax(),
            one.outputTokensReserved(),
            one.imageTokensReserved(),
            one.capabilities(),
            PriceList.ofTokens(TokenPrices.of(10_000_000, 20_000_000)),
            Resume.OFF,
            false,
            List.of(new Route(beta, "two-at-beta", 1, 1)),
            Duration.ZERO);
    return new Catalog(
        List.of(usual.providers().iterator().next(), beta), List.of(one, two), usual.routing());
  }
}
