package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("corpus")
class AnswersTest {
  @Test
  void aStreamReachesTheClientWithUsageCostAndTheTerminator() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      ProviderLink provider = scenario.link(0);
      assertThat(provider.received())
          .startsWith("POST /v1/chat/completions HTTP/1.1\r\nhost: alpha.example\r\n")
          .contains("authorization: Bearer sk-of-alpha\r\n", "\"model\":\"one-at-alpha\"")
          .endsWith("\"stream_options\":{\"include_usage\":true}}");

      provider.send(OpenAiWire.STREAM_HEAD).send(OpenAiWire.wholeStream("Hello", " there"));

      assertThat(client.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(client.text())
          .contains("\"content\":\"Hello\"", "\"content\":\" there\"")
          .contains("\"model\":\"acme/one\"", "\"provider\":\"alpha\"")
          .contains("\"prompt_tokens\":7,\"completion_tokens\":2", "\"x_llm_cost_micro\":11")
          .endsWith("}\n\ndata: [DONE]\n\n");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(scenario.record().status()).isEqualTo(200);
      assertThat(scenario.served().cost().value()).isEqualTo(11);
      assertThat(scenario.served().attempts())
          .singleElement()
          .matches(a -> a.outcome().equals("ok"));
      assertThat(provider.isOpen()).as("the connection may serve again").isTrue();
    }
  }

  @Test
  void aPlainReplyReachesTheClientWithUsageAndCost() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("Hello"));

      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(client.whole().body())
          .contains("\"content\":\"Hello\"", "\"x_llm_cost_micro\":9", "\"provider\":\"alpha\"");
      assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("9");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void theNextRequestTravelsOverTheSameConnection() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      for (int n = 1; n <= 3; n++) {
        RecordedClient client = scenario.askPlain();
        scenario.link(0).send(OpenAiWire.completion("Hello"));
        assertThat(client.whole().status()).isEqualTo(200);
        assertThat(scenario.link(0).requests()).isEqualTo(n);
      }
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void aUsageOfMoreMembersThanARequestMayHaveIsKept() {
    String more =
        IntStream.range(0, 257).mapToObj(n -> ",\"m" + n + "\":" + n).collect(Collectors.joining());
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient plain = scenario.askPlain();
      String body = OpenAiWire.completionBody("Hello").replace("}}", more + "}}");
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", body));
      assertThat(plain.whole().status()).isEqualTo(200);
      assertThat(plain.whole().body()).contains("\"m256\":256,\"x_llm_cost_micro\":9");

      RecordedClient stream = scenario.askStream();
      String usage = OpenAiWire.usage(7, 1).replace("}}", more + "}}");
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("Hello")));
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.finish("stop")) + OpenAiWire.event(usage));
      scenario.link(0).send(OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK);
      assertThat(stream.answer()).isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(stream.text()).contains("\"m256\":256,\"x_llm_cost_micro\":9");
    }
  }

  @Test
  void aFailureBehindTheFinishChangesNothing() {
    FaultRow row = FaultRow.of("U68");
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("Hello"))
                  + OpenAiWire.event(OpenAiWire.finish("stop"))
                  + OpenAiWire.event(OpenAiWire.finish("error")));
      assertThat(client.answer())
          .as(row.clientSees())
          .isEqualTo(new RecordedClient.Answer.Streamed());
      assertThat(client.text()).endsWith("data: [DONE]\n\n").doesNotContain("\"error\"");
      assertThat(scenario.record().outcome()).isEqualTo(row.ending());
    }
  }
}
