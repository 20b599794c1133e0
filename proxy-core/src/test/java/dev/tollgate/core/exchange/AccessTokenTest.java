package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** A provider that is sent a token which may be missing, and changes. */
class AccessTokenTest {
  private static final String REQUEST =
      "{\"model\":\"acme/one\",\"stream\":true,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"Hi.\"}]}";

  private static final String FINE = OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine");

  private static ProviderLink lastAskedAt(Scenario scenario, String host) {
    return scenario.connector().links().stream()
        .filter(link -> link.host().equals(host) && link.isOpen() && link.isReadPending())
        .reduce((_, last) -> last)
        .orElseThrow();
  }

  @Test
  void theTokenOfTheMomentIsSentAndNeverTheKey() {
    var token = new AccessToken();
    token.replace(new Secret("one"));
    try (var scenario = Scenario.of(TestCatalog.of(TestCatalog.withAccessToken("alpha", token)))) {
      token.replace(new Secret("two"));
      RecordedClient client = scenario.ask(REQUEST);
      assertThat(scenario.link(0).received())
          .contains("authorization: Bearer two\r\n")
          .doesNotContain("key-of-alpha", "Bearer one");
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(ClientView.of(client.text()).text()).isEqualTo("fine");
    }
  }

  @Test
  void oneThatIsRefusedCostsItsAccountNoMoreThanTheTimeOfTheNext() {
    var token = new AccessToken();
    token.replace(new Secret("one"));
    token.onRefusal(() -> token.replace(new Secret("two")));
    var providers =
        TestCatalog.of(TestCatalog.withAccessToken("alpha", token), TestCatalog.provider("beta"));
    try (var scenario = Scenario.of(providers)) {
      for (String sent : new String[] {"Bearer one", "Bearer two"}) {
        scenario.ask(REQUEST);
        ProviderLink alpha = lastAskedAt(scenario, "alpha.example");
        assertThat(alpha.received()).contains(sent);
        alpha.send(OpenAiWire.error(401, "authentication_error", "expired"));
        lastAskedAt(scenario, "beta.example").send(FINE);
        scenario.passSeconds(11);
      }
      RecordedClient third = scenario.ask(REQUEST);
      lastAskedAt(scenario, "beta.example").send(FINE);
      assertThat(ClientView.of(third.text()).text()).isEqualTo("fine");
      assertThat(scenario.requests())
          .as("the second was refused as well: it is not the token")
          .isEqualTo(5);
    }
  }

  @Test
  void whereThereIsNoneAnotherProviderIsAsked() {
    var token = new AccessToken();
    token.replace(new Secret("gone"));
    token.clear();
    var providers =
        TestCatalog.of(TestCatalog.withAccessToken("alpha", token), TestCatalog.provider("beta"));
    try (var scenario = Scenario.of(providers)) {
      RecordedClient client = scenario.ask(REQUEST);
      assertThat(scenario.link(0).received()).contains("Bearer sk-of-beta");
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      assertThat(ClientView.of(client.text()).text()).isEqualTo("fine");
      assertThat(scenario.served().attempts())
          .extracting(RequestRecord.AttemptRecord::outcome)
          .containsExactly("ok");
    }
  }

  /** It is not the provider's fault: no circuit opens for it. */
  @Test
  void itIsAskedAsSoonAsThereIsOne() {
    var token = new AccessToken();
    var providers =
        TestCatalog.of(TestCatalog.withAccessToken("alpha", token), TestCatalog.provider("beta"));
    try (var scenario = Scenario.of(providers)) {
      for (int i = 0; i < 20; i++) {
        scenario.ask(REQUEST);
        lastAskedAt(scenario, "beta.example").send(FINE);
      }
      token.replace(new Secret("one"));
      scenario.ask(REQUEST);
      ProviderLink alpha = lastAskedAt(scenario, "alpha.example");
      assertThat(alpha.received()).contains("Bearer one");
      alpha.send(FINE);
    }
  }

  @Test
  void withoutAnotherProviderTheClientGetsTheFailure() {
    try (var scenario =
        Scenario.of(TestCatalog.of(TestCatalog.withAccessToken("alpha", new AccessToken())))) {
      RecordedClient client = scenario.ask(REQUEST);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.NO_PROVIDER_AVAILABLE);
      assertThat(client.fault().retryAfterSeconds()).isOne();
      assertThat(client.fault().details().toString()).contains("token_missing");
      assertThat(scenario.requests()).isZero();
    }
  }
}
