package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpsServer;
import dev.tollgate.core.testkit.FullBacklog;
import dev.tollgate.core.testkit.ScriptedUpstream;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.acceptance.ConfigBuilder.Route;
import dev.tollgate.server.acceptance.FaultCase.Address;
import dev.tollgate.server.acceptance.FaultCase.Expected;
import dev.tollgate.server.acceptance.FaultCase.ExpectedAttempts;
import dev.tollgate.server.acceptance.FaultCase.Usage;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Provider rows of the fault catalogue over the real program: each once without another provider,
 * and once with a healthy second one. All run side by side, because they mostly wait. Stale
 * connections (U06) and a flapping provider (U74) take more than one request.
 */
@Tag("chaos")
class FaultRowsIT {
  private static final int AT_ONCE = 16;

  /** Each event loop needs a connection of its own that can become stale. */
  private static final int STALE_TIMES = 8;

  private static final Duration FLAP = Duration.ofSeconds(2);
  private static final String HEALTHY = "healthy";

  /** Only for requests with a short timeout: on a busy machine no other may time out. */
  private static final Map<String, String> SHORT =
      Map.of("connect", "1s", "response_header", "1s", "first_token", "1s", "idle", "1s");

  private static final List<FaultCase> PLAYS = FaultCases.all();
  private static final MockProvider MOCK = MockProvider.start(MockProfile.IMMEDIATE, 0);
  private static final FullBacklog BLACK_HOLE = FullBacklog.fill();
  private static final int REFUSED = ScriptedUpstream.refusedPort();
  private static final HttpsServer UNTRUSTED = untrusted();
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());
  private static final Map<String, ObservedRequest> SEEN = new HashMap<>();
  private static long received;

  static Stream<FaultCase> plays() {
    return PLAYS.stream();
  }

  private static ConfigBuilder setup() {
    Map<String, ?> spared = Map.of("failures", 3, "open_for", "500ms", "open_for_max", "1s");
    Map<String, ?> flaps =
        Map.of("type", "openai", "base_url", MOCK.baseUrl(), "api_key", "k", "circuit", spared);
    String fault = "fault/503?for=" + FLAP.toMillis() + "ms";
    ConfigBuilder setup =
        SharedNode.setup()
            .openAi(HEALTHY, MOCK.baseUrl(), "k")
            .openAi("stale", MOCK.baseUrl(), "k")
            .model("row/stale", "stale", "fault/stale")
            .model("row/stale-reset", "stale", "fault/stale-reset")
            .provider("flaps", flaps)
            .model("row/flaps", new Route("flaps", fault), new Route(HEALTHY, "mock-chat"));
    for (int n = 0; n < PLAYS.size(); n++) {
      FaultCase play = PLAYS.get(n);
      // A fault at one provider must not affect another case.
      String other = play.model() + (play.model().contains("?") ? "&" : "?") + "batch=0";
      setup
          .provider("alone-" + n, provider(play))
          .provider("first-" + n, provider(play))
          .model("alone/" + n, "alone-" + n, play.model())
          .model("first/" + n, new Route("first-" + n, other), new Route(HEALTHY, "mock-chat"));
    }
    return setup;
  }

  private static Map<String, Object> provider(FaultCase play) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("type", "openai");
    settings.put("api_key", SharedNode.PROVIDER_KEY);
    settings.put("base_url", baseUrl(play.address()));
    settings.put("max_event_bytes", "1MiB");
    if (play.waits()) {
      settings.put("timeouts", SHORT);
    }
    settings.putAll(play.settings());
    return settings;
  }

  private static HttpsServer untrusted() {
    try {
      X509Bundle untrusted =
          new CertificateBuilder()
              .ecp256()
              .subject("CN=Nobody")
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      X509Bundle leaf =
          new CertificateBuilder()
              .ecp256()
              .subject("CN=localhost")
              .addSanDnsName("localhost")
              .addExtendedKeyUsageServerAuth()
              .buildIssuedBy(untrusted);
      return HttpsProvider.start(leaf, null);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String baseUrl(Address address) {
    return switch (address) {
      case MOCK -> MOCK.baseUrl();
      case REFUSED -> "http://127.0.0.1:" + REFUSED + "/v1";
      case BLACK_HOLE -> "http://127.0.0.1:" + BLACK_HOLE.port() + "/v1";
      case UNTRUSTED -> "https://localhost:" + UNTRUSTED.getAddress().getPort() + "/v1";
      case NO_TLS -> "https://127.0.0.1:" + MOCK.port() + "/v1";
      case UNKNOWN_NAME -> "http://no-such-name.invalid:" + MOCK.port() + "/v1";
    };
  }

  @BeforeAll
  static void askAll() throws Exception {
    List<ObservedRequest.Question> small = new ArrayList<>();
    List<ObservedRequest.Question> large = new ArrayList<>();
    for (int n = 0; n < PLAYS.size(); n++) {
      FaultCase play = PLAYS.get(n);
      List<ObservedRequest.Question> questions = play.isLarge() ? large : small;
      questions.add(new ObservedRequest.Question("alone/" + n, play.ask()));
      questions.add(new ObservedRequest.Question("first/" + n, play.ask()));
    }
    long before = MOCK.stats().requests();
    SEEN.putAll(ObservedRequest.all(NODE, small, AT_ONCE));
    SEEN.putAll(ObservedRequest.all(NODE, large, 1));
    received = MOCK.stats().requests() - before;
  }

  @AfterAll
  static void nothingIsHeld() throws Exception {
    NODE.admin().awaitNoRequests();
    assertThat(MOCK.stats().lastDisconnects())
        .as("no request leaves a healthy provider")
        .noneMatch(each -> each.model().startsWith("mock-chat"));
    NODE.close();
    MOCK.close();
    BLACK_HOLE.close();
    UNTRUSTED.stop(0);
  }

  @ParameterizedTest
  @MethodSource("plays")
  void withoutAnotherProvider(FaultCase play) {
    ObservedRequest seen = seen("alone", play);
    switch (play.expected()) {
      case Expected.Refused refused -> {
        seen.requireRefused(refused.status(), refused.code());
        boolean again = refused.tries() == ExpectedAttempts.ELSEWHERE_OR_AGAIN;
        assertThat(seen.attempts()).as(seen.toString()).hasSizeBetween(1, again ? 2 : 1);
      }
      case Expected.Broken broken -> {
        seen.requireBroken(broken.code(), broken.contents());
        assertThat(seen.attempts()).hasSize(1);
      }
      case Expected.Served served -> {
        seen.requireServed(play.isStream(), served.contents());
        requireUsage(seen, served.usage());
        assertThat(seen.attempts()).as(seen.toString()).hasSize(1);
      }
      case Expected.Recovered _ -> {
        seen.requireServed(play.isStream(), FaultCases.WHOLE);
        assertThat(seen.attempts()).as(seen.toString()).hasSize(2).last().isEqualTo("ok");
      }
    }
    requireBooked(seen, play.outcome());
  }

  @ParameterizedTest
  @MethodSource("plays")
  void withAHealthyProvider(FaultCase play) {
    ObservedRequest seen = seen("first", play);
    boolean elsewhere = seen.log().path("attempts").findValuesAsText("provider").contains(HEALTHY);
    assertThat(elsewhere).as(seen.toString()).isEqualTo(play.failsOver());
    if (!play.failsOver()) {
      assertThat(seen.attempts()).as(seen.toString()).hasSize(1);
      requireBooked(seen, play.outcome());
      return;
    }
    seen.requireServed(play.isStream(), FaultCases.WHOLE);
    requireUsage(seen, Usage.REPORTED);
    assertThat(seen.header("x-llm-provider")).isEqualTo(HEALTHY);
    assertThat(seen.text()).contains("\"provider\":\"" + HEALTHY + "\"");
    assertThat(seen.text()).doesNotContain("\"provider\":\"first-");
    assertThat(seen.header("x-llm-routing-reason")).contains("selected=" + HEALTHY);
    assertThat(seen.attempts()).as(seen.toString()).hasSize(2).last().isEqualTo("ok");
    requireBooked(seen, "ok");
  }

  /** A stale pooled connection is replaced, whichever way it was detected. */
  @ParameterizedTest
  @ValueSource(strings = {"row/stale", "row/stale-reset"})
  void aConnectionThatWentStaleIsNotNoticed(String model) throws Exception {
    ObservedRequest.Question question = new ObservedRequest.Question(model, FaultCase.Ask.STREAM);
    for (int n = 0; n < STALE_TIMES; n++) {
      ObservedRequest seen = ObservedRequest.one(NODE, question);
      seen.requireServed(true, FaultCases.WHOLE);
      requireUsage(seen, Usage.REPORTED);
      assertThat(seen.attempts()).as(seen.toString()).containsExactly("ok");
      assertThat(sends(seen, true)).isBetween(1, 2);
      requireBooked(seen, "ok");
    }
  }

  /** No client sees the outage; the provider is skipped, and used again soon after it is back. */
  @Test
  void aFlappingProviderIsUsedAgainSoon() throws Exception {
    ObservedRequest.Question question =
        new ObservedRequest.Question("row/flaps", FaultCase.Ask.PLAIN);
    long before = MOCK.stats().requests();
    long beganNanos = System.nanoTime();
    String provider = HEALTHY;
    int asked = 0;
    while (!provider.equals("flaps")) {
      ObservedRequest seen = ObservedRequest.unbooked(NODE, question);
      seen.requireServed(false, FaultCases.WHOLE);
      provider = seen.header("x-llm-provider");
      asked++;
    }
    Duration back = Duration.ofNanos(System.nanoTime() - beganNanos).minus(FLAP);
    assertThat(back).isBetween(Duration.ZERO, Duration.ofSeconds(5));
    assertThat(asked).isGreaterThan(20);
    assertThat(MOCK.stats().requests() - before - asked)
        .as("tries without success")
        .isBetween(3L, 9L);
  }

  /** Providers at another address than the mock provider's get no request. */
  @Test
  void theLogCountsWhatTheProviderGot() {
    int sends = 0;
    for (int n = 0; n < PLAYS.size(); n++) {
      boolean reached = PLAYS.get(n).address() == Address.MOCK;
      sends += sends(seen("alone", PLAYS.get(n)), reached);
      sends += sends(seen("first", PLAYS.get(n)), reached);
    }
    assertThat(sends).isEqualTo(received);
  }

  private static int sends(ObservedRequest seen, boolean reached) {
    int sends = 0;
    for (JsonNode attempt : seen.log().path("attempts")) {
      boolean counts = reached || attempt.path("provider").asText().equals(HEALTHY);
      sends += counts ? 1 + attempt.path("resent").asInt() : 0;
    }
    return sends;
  }

  private static void requireUsage(ObservedRequest seen, Usage usage) {
    JsonNode tokens = seen.usage();
    boolean estimated = tokens.path("x_llm_usage_estimated").booleanValue();
    assertThat(estimated).as(seen.toString()).isEqualTo(usage == Usage.ESTIMATED);
    int completion = tokens.path("completion_tokens").intValue();
    switch (usage) {
      case ZERO -> assertThat(completion).isZero();
      case REPORTED -> assertThat(completion).isEqualTo(FaultCases.WHOLE);
      case ESTIMATED -> assertThat(completion).isBetween(FaultCases.WHOLE, 4 * FaultCases.WHOLE);
    }
  }

  /** Client, log and ledger agree. */
  private static void requireBooked(ObservedRequest seen, String outcome) {
    assertThat(seen.log().path("outcome").asText()).as(seen.toString()).isEqualTo(outcome);
    assertThat(seen.log().path("cost_micro").longValue()).isEqualTo(seen.costMicro());
    assertThat(seen.chargedMicro()).as(seen.toString()).isEqualTo(seen.costMicro());
    assertThat(seen.text()).doesNotContain(SharedNode.PROVIDER_KEY);
  }

  private static ObservedRequest seen(String kind, FaultCase play) {
    return Objects.requireNonNull(SEEN.get(kind + "/" + PLAYS.indexOf(play)), "not asked");
  }

  @Test
  void theLedgerAddsUpAndNothingStaysReserved() throws Exception {
    LedgerDatabase.of(SharedNode.node().home()).requireAuditClean();
  }
}
