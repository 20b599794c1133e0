package dev.tollgate.core.api.completion;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.RelayedStream;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.ReplyEventStream.Step;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.testkit.OpenAiWire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionStreamTest {
  private static final String USAGE =
      "{\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2,"
          + "\"total_tokens\":9}}";

  private static RelayedStream relayed(int choicesAsked, String... events) {
    StringBuilder stream = new StringBuilder();
    for (String event : events) {
      stream.append(OpenAiWire.data(event));
    }
    return RelayedStream.of(
        stream.toString().getBytes(UTF_8),
        Cut.WHOLE,
        new CompletionStream(Samples.stamp().named("cmpl-"), choicesAsked),
        Samples.PRICES,
        Dialects.named("openai"));
  }

  @Test
  void onlyWhatIsOursIsChangedAndUsageComesLast() {
    RelayedStream got =
        relayed(
            1,
            OpenAiWire.text(0, "Hello", "null"),
            OpenAiWire.text(0, " there", "\"length\""),
            USAGE,
            "[DONE]");
    assertThat(got.text())
        .isEqualTo(
            OpenAiWire.data(ours(OpenAiWire.text(0, "Hello", "null")))
                + OpenAiWire.data(ours(OpenAiWire.text(0, " there", "\"length\"")))
                + OpenAiWire.data(
                    "{\"id\":\"c1\",\"object\":\"text_completion\",\"created\":1,"
                        + "\"model\":\"acme/m1\",\"provider\":\"acme-eu\",\"choices\":[],"
                        + "\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2,"
                        + "\"total_tokens\":9,\"x_llm_cost_micro\":"
                        + got.cost(Samples.PRICES).value()
                        + "}}")
                + "data: [DONE]\n\n");
    assertThat(got.chat().finished()).isTrue();
  }

  private static String ours(String chunk) {
    return chunk.replace("\"model\":\"m\"", "\"model\":\"acme/m1\",\"provider\":\"acme-eu\"");
  }

  @Test
  void interleavedTextsAreSeparatedAndAllMustFinish() {
    RelayedStream half =
        relayed(
            2,
            OpenAiWire.text(1, "b", "null"),
            OpenAiWire.text(0, "a", "\"stop\""),
            OpenAiWire.text(1, "B", "null"));
    assertThat(half.chat().finished()).isFalse();
    assertThat(half.isComplete()).isFalse();

    RelayedStream whole =
        relayed(
            2,
            OpenAiWire.text(1, "b", "null"),
            OpenAiWire.text(0, "a", "\"stop\""),
            OpenAiWire.text(1, "B", "\"length\""));
    assertThat(whole.isComplete()).isTrue();
    assertThat(whole.view().chunks().get(1).at("/choices/0/index").intValue()).isZero();
    assertThat(whole.charged().estimated()).isTrue();
  }

  @Test
  void theFinishesThatAProviderLeftOutAreOurs() {
    RelayedStream got =
        relayed(
            3,
            OpenAiWire.text(2, "c", "null"),
            OpenAiWire.text(0, "a", "\"stop\""),
            OpenAiWire.text(1, "b", "null"),
            "[DONE]");
    List<JsonNode> chunks = got.view().chunks();
    JsonNode finishes = chunks.get(chunks.size() - 2).path("choices");
    assertThat(finishes).hasSize(2);
    assertThat(finishes.findValuesAsText("index")).containsExactly("1", "2");
    assertThat(finishes.findValuesAsText("finish_reason")).containsOnly("stop");
    assertThat(finishes.findValuesAsText("text")).containsOnly("");
  }

  @Test
  void nothingIsWrittenBeforeTheFirstContent() {
    RelayedStream silent = relayed(1, OpenAiWire.text(0, "", "null"), USAGE);
    assertThat(silent.text()).isEmpty();
    assertThat(silent.chat().contentSeen()).isFalse();
    assertThat(silent.steps()).containsOnly(Step.ABSORBED);

    RelayedStream likelihood =
        relayed(1, OpenAiWire.text(0, "", "null").replace("\"logprobs\":null", "\"logprobs\":{}"));
    assertThat(likelihood.chat().contentSeen()).isTrue();
    RelayedStream empty = relayed(1, OpenAiWire.text(0, "", "\"stop\""), "[DONE]");
    assertThat(empty.isComplete()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"choices\":[{\"text\":7}]}",
        "{\"choices\":[7]}",
        "{\"choices\":{}}",
        "{\"choices\":[{\"text\":\"a\",\"finish_reason\":{}}]}",
        "{\"choices\":[{\"text\":\"a\",\"finish_reason\":0}]}",
        "{\"choices\":[{\"index\":-1,\"text\":\"a\"}]}",
        "{\"choices\":[{\"text\":\"a\"}],\"choices\":[{\"text\":\"b\"}]}",
        "{\"choices\":[{\"text\":\"a\",\"text\":\"b\"}]}",
        "{\"choices\":",
        "7"
      })
  void whatIsNoChunkBreaksTheStreamUnlessItIsFinished(String event) {
    String end = OpenAiWire.text(0, "b", "\"stop\"");
    RelayedStream amid = relayed(1, OpenAiWire.text(0, "a", "null"), event, end);
    assertThat(amid.endStep()).contains(Step.BROKEN);
    RelayedStream behind = relayed(1, OpenAiWire.text(0, "a", "null"), end, event, event);
    assertThat(behind.isComplete()).isTrue();
    assertThat(behind.chat().badEvents()).isEqualTo(2);
  }

  @Test
  void choicesThatWereNotRequestedAreLeftOut() {
    String choice = "{\"index\":%d,\"text\":\"%s\",\"finish_reason\":null}";
    String both =
        "{\"choices\":[" + choice.formatted(1, "b") + "," + choice.formatted(0, "a") + "]}";
    String other = "{\"choices\":[" + choice.formatted(1, "c") + "]}";
    RelayedStream relayed = relayed(1, both, other, OpenAiWire.text(0, "", "\"stop\""));
    assertThat(relayed.isComplete()).isTrue();
    assertThat(relayed.text())
        .contains("\"text\":\"a\"")
        .doesNotContain("\"text\":\"b\"", "\"text\":\"c\"");
    assertThat(relayed.chat().badEvents()).isEqualTo(2);
  }

  @Test
  void errorsAreRecognized() {
    assertThat(relayed(1, OpenAiWire.errorBody("x", "no")).endStep()).contains(Step.ERROR);
    assertThat(relayed(1, OpenAiWire.text(0, "a", "\"error\"")).endStep()).contains(Step.FAILED);
    var stream = new CompletionStream(Samples.stamp(), 1);
    byte[] named = "{\"oops\":1}".getBytes(UTF_8);
    assertThat(stream.errorEvent(named, 0, named.length, Unpooled.EMPTY_BUFFER))
        .isEqualTo(Step.ERROR);
  }

  @Test
  void whatSdksTripOverIsRepaired() {
    RelayedStream got =
        relayed(
            1,
            "{\"object\":\"text.completion\",\"usage\":null,\"obfuscation\":\"xx\",\"error\":null,"
                + "\"choices\":[{\"text\":\"a\",\"finish_reason\":\"eos\"}],\"x\":1}",
            "[DONE]");
    JsonNode chunk = got.view().chunks().getFirst();
    assertThat(chunk.path("object").asText()).isEqualTo("text_completion");
    assertThat(chunk.path("id").asText()).startsWith("cmpl-");
    assertThat(chunk.path("created").intValue()).isPositive();
    assertThat(chunk.path("x").intValue()).isOne();
    assertThat(chunk.has("usage") || chunk.has("obfuscation") || chunk.has("error")).isFalse();
    assertThat(chunk.at("/choices/0/index").intValue()).isZero();
    assertThat(chunk.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
  }

  @Test
  void aWholeReplyIsRepairedAndKeepsTheRest() {
    String body =
        "{\"choices\":[{\"text\":\"a\",\"index\":0,\"logprobs\":{\"tokens\":[\"a\"]},"
            + "\"finish_reason\":null},{\"text\":null}],\"usage\":{\"prompt_tokens\":3,"
            + "\"completion_tokens\":1,\"total_tokens\":4},\"prompt\":[]}";
    byte[] bytes = body.getBytes(UTF_8);
    var read = CompletionReply.read(Samples.stamp().named("cmpl-"), bytes, bytes.length);
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    ByteBuf out = Unpooled.buffer();
    Usage usage = reply.reportedUsage().orElseThrow();
    reply.writeTo(usage, new MicroUsd(5), out);
    JsonNode got = ClientView.tree(out.toString(UTF_8));
    assertThat(got.path("object").asText()).isEqualTo("text_completion");
    assertThat(got.path("id").asText()).startsWith("cmpl-");
    assertThat(got.at("/choices/0/logprobs/tokens/0").asText()).isEqualTo("a");
    assertThat(got.path("choices").findValuesAsText("finish_reason"))
        .containsExactly("stop", "stop");
    assertThat(got.at("/choices/1/index").intValue()).isOne();
    assertThat(got.at("/choices/1/text").asText("none")).isEmpty();
    assertThat(got.at("/usage/x_llm_cost_micro").intValue()).isEqualTo(5);
    assertThat(got.path("prompt")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[]", "{\"choices\":[]}", "{\"choices\":[{\"text\":1}]}"})
  void aBodyWithoutChoicesIsMalformed(String body) {
    byte[] bytes = body.getBytes(UTF_8);
    assertThat(CompletionReply.read(Samples.stamp(), bytes, bytes.length))
        .isInstanceOf(WholeReply.Read.Malformed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"no\"}}",
        "{\"choices\":[{\"text\":\"a\",\"finish_reason\":\"error\"}]}"
      })
  void anErrorInsideOfASuccessIsOne(String body) {
    byte[] bytes = body.getBytes(UTF_8);
    assertThat(CompletionReply.read(Samples.stamp(), bytes, bytes.length))
        .isInstanceOf(WholeReply.Read.ErrorObject.class);
  }
}
