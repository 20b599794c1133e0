package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts to be made vectors of go only where all of them are taken. */
class EmbeddingTextsTest {
  private static final String TOKENS = "[[1,2],[3]]";

  private static String ask(String input) {
    return "{\"model\":\"acme/one\",\"input\":" + input + "}";
  }

  private static String texts(int count) {
    return Stream.generate(() -> "\"a\"").limit(count).collect(Collectors.joining(",", "[", "]"));
  }

  private static Scenario at(Provider... providers) {
    return Scenario.of(TestCatalog.of(Modality.EMBEDDING, providers));
  }

  @ParameterizedTest
  @CsvSource({"cohere, 96", "gemini, 100"})
  void oneMoreThanAProviderTakesGoesToTheNext(String dialect, int most) {
    Provider few = TestCatalog.ofDialect(dialect, "few");
    try (var scenario = at(few, TestCatalog.provider("many"))) {
      scenario.ask(Endpoint.EMBEDDINGS, ask(texts(most)));
      scenario.ask(Endpoint.EMBEDDINGS, ask(texts(most + 1)));
      scenario.ask(Endpoint.EMBEDDINGS, ask(TOKENS));
      assertThat(scenario.link(0).host()).isEqualTo("few.example");
      assertThat(scenario.link(1).host()).isEqualTo("many.example");
      assertThat(scenario.link(2).host()).isEqualTo("many.example");
      for (int i = 0; i < 3; i++) {
        scenario.link(i).send(OpenAiWire.error(400, "invalid_request_error", "no"));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"cohere, 96", "gemini, 100"})
  void withoutAProviderForThemTheRequestIsRefused(String dialect, int most) {
    try (var scenario = at(TestCatalog.ofDialect(dialect, "few"))) {
      for (String input : new String[] {texts(most + 1), TOKENS}) {
        RecordedClient client = scenario.ask(Endpoint.EMBEDDINGS, ask(input));
        assertThat(client.fault().code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
        assertThat(client.fault().param()).isEqualTo("input");
      }
      assertThat(scenario.links()).isZero();
      assertThat(scenario.ledger().charged()).isEmpty();
    }
  }
}
