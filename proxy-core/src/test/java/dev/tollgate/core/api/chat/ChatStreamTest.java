package dev.tollgate.core.api.chat;

import static dev.tollgate.core.api.Chunks.DONE;
import static dev.tollgate.core.api.Chunks.LAST;
import static dev.tollgate.core.api.Chunks.USAGE;
import static dev.tollgate.core.api.Chunks.delta;
import static dev.tollgate.core.api.Chunks.finish;
import static dev.tollgate.core.api.Chunks.role;
import static dev.tollgate.core.api.Chunks.root;
import static dev.tollgate.core.api.Chunks.stream;
import static dev.tollgate.core.api.Chunks.text;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.AcceptedChunks;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.RelayedStream;
import dev.tollgate.core.api.ReplyEventStream.Step;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.money.Usage;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Translation of a provider's events, one quirk of providers after the other
 * (docs/decisions/streaming.md#chunks).
 */
class ChatStreamTest {
  private static final String HEAD =
      "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
          + "\"model\":\"acme/m1\",\"provider\":\"acme-eu\",\"choices\":";

  @Test
  void anOrdinaryStreamIsOursToTheByte() {
    String got = RelayedStream.of(stream(role(), text("Hi"), finish("stop"), LAST, DONE)).text();
    assertThat(got)
        .isEqualTo(
            HEAD
                + "[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
                + "\"finish_reason\":null}]}\n\n"
                + HEAD
                + "[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n"
                + HEAD
                + "[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                + HEAD
                + "[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2,\"total_tokens\":6,"
                + "\"x_llm_cost_micro\":30}}\n\n"
                + "data: [DONE]\n\n");
  }

  @Test
  void nothingIsWrittenBeforeContentComes() {
    RelayedStream held = RelayedStream.of(stream(role(), role(), delta("\"content\":null")));
    assertThat(held.text()).isEmpty();
    assertThat(held.steps()).containsOnly(Step.ABSORBED);
    assertThat(held.chat().contentSeen()).isFalse();
    assertThat(held.isComplete()).isFalse();
  }

  @Test
  void whatWasHeldComesOutInOrderAndWithAllItsMembers() {
    String first = delta("\"role\":null,\"content\":\"\"").replace("}]", "}],\"tier\":\"a\"");
    String second = delta("\"role\":\"assistant\"").replace("}]", "}],\"tier\":\"b\"");
    ClientView view =
        RelayedStream.of(stream(first, second, text("x"), finish("stop"), LAST, DONE)).view();
    assertOrderly(view);
    assertThat(view.chunks().toString()).containsSubsequence("\"tier\":\"a\"", "\"tier\":\"b\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"content\":\"x\"",
        "\"role\":\"assistant\",\"content\":\"x\"",
        "\"role\":\"user\",\"content\":\"x\"",
        "\"role\":null,\"reasoning_content\":\"x\"",
        "\"reasoning\":\"x\"",
        "\"refusal\":\"x\"",
        "\"audio\":{\"id\":\"a\"}",
        "\"images\":[{\"x\":1}]",
        "\"function_call\":{\"name\":\"f\"}",
        "\"new_field\":1",
        "\"new_field\":false"
      })
  void contentOfAnyKindIsContentAndTheRoleComesBeforeIt(String members) {
    RelayedStream relayed = RelayedStream.of(stream(delta(members), finish("stop"), LAST, DONE));
    assertThat(relayed.steps().getFirst()).isEqualTo(Step.WROTE);
    assertOrderly(relayed.view());
    assertThat(relayed.text()).contains(members);
  }

  @Test
  void aRoleWithoutContentGetsEmptyContent() {
    for (String content : new String[] {"", ",\"content\":null", ",\"content\":[]"}) {
      ClientView view =
          RelayedStream.of(
                  stream(
                      delta("\"role\":\"assistant\"" + content),
                      text("x"),
                      finish("stop"),
                      LAST,
                      DONE))
              .view();
      assertOrderly(view);
      assertThat(view.chunks()).hasSize(4);
    }
  }

  @Test
  void aStreamThatFinishesAtOnceIsComplete() {
    RelayedStream relayed = RelayedStream.of(stream(finish("stop"), LAST, DONE));
    assertThat(relayed.isComplete()).isTrue();
    assertOrderly(relayed.view());
  }

  @Test
  void theTerminatorWithoutAFinishIsCompletedWithStop() {
    RelayedStream relayed = RelayedStream.of(stream(role(), text("x"), LAST, DONE));
    assertThat(relayed.view().finish()).isEqualTo("stop");
    assertOrderly(relayed.view());
  }

  @Test
  void anEndBeforeBothIsNotComplete() {
    RelayedStream relayed = RelayedStream.of(stream(role(), text("x"), text("y")));
    assertThat(relayed.isComplete()).isFalse();
    assertThat(relayed.chat().contentSeen()).isTrue();
    assertThat(AcceptedChunks.unruly(relayed.view().chunks(), false)).isEmpty();
    assertThat(relayed.charged().estimated()).isTrue();
    assertThat(relayed.charged().completionTokens()).isEqualTo(2);
  }

  @Test
  void aFinishWithoutUsageAndTerminatorIsASuccessWithAnEstimate() {
    RelayedStream relayed = RelayedStream.of(stream(role(), text("x"), finish("length")));
    JsonNode usage = relayed.view().usage();
    assertThat(relayed.isComplete()).isTrue();
    assertThat(usage.path("x_llm_usage_estimated").booleanValue()).isTrue();
    assertThat(usage.path("completion_tokens").intValue()).isEqualTo(1);
    assertThat(usage.path("total_tokens").intValue())
        .isEqualTo(usage.path("prompt_tokens").intValue() + 1);
    assertThat(relayed.text()).endsWith("data: [DONE]\n\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"id\":\"c1\",\"choices\":[]," + USAGE + "}",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":null}],"
            + USAGE
            + "}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]," + USAGE + "}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"," + USAGE + "}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"x_groq\":"
            + "{\"id\":\"r\","
            + USAGE
            + "}}",
        "{" + USAGE + "}",
        "{\"choices\":null," + USAGE + "}"
      })
  void usageCountsAtAnyPlaceAndIsShownOnce(String chunk) {
    RelayedStream relayed =
        RelayedStream.of(stream(role(), text("x"), finish("stop"), chunk, DONE));
    assertThat(relayed.charged()).isEqualTo(Usage.ofTokens(4, 2));
    assertOrderly(relayed.view());
  }

  @Test
  void theLastOfManyUsagesCountsAndNoneIsAdded() {
    String early =
        root(
            "[{\"index\":0,\"delta\":{\"content\":\"x\"}}],\"usage\":"
                + "{\"prompt_tokens\":4,\"completion_tokens\":1,\"total_tokens\":5}");
    RelayedStream relayed = RelayedStream.of(stream(early, early, finish("stop"), LAST));
    assertThat(relayed.charged().completionTokens()).isEqualTo(2);
    assertOrderly(relayed.view());
  }

  @Test
  void usageOfZeroIsZeroAndNotMissing() {
    String zero = "[],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0,\"total_tokens\":0}";
    RelayedStream relayed =
        RelayedStream.of(stream(role(), text("x"), finish("stop"), root(zero), DONE));
    assertThat(relayed.charged()).isEqualTo(Usage.ZERO);
    assertThat(relayed.view().usage().path("x_llm_cost_micro").longValue()).isZero();
    assertThat(relayed.view().usage().has("x_llm_usage_estimated")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "{}",
        "{\"prompt_tokens\":-1,\"completion_tokens\":2}",
        "{\"prompt_tokens\":1.5,\"completion_tokens\":2}",
        "{\"prompt_tokens\":\"1\",\"completion_tokens\":2}",
        "{\"prompt_tokens\":1000000000000,\"completion_tokens\":2}"
      })
  void absurdUsageIsReplacedByAnEstimate(String usage) {
    RelayedStream relayed =
        RelayedStream.of(
            stream(role(), text("x"), finish("stop"), root("[],\"usage\":" + usage), DONE));
    assertThat(relayed.charged().estimated()).isTrue();
    assertThat(relayed.view().usage().path("x_llm_usage_estimated").booleanValue()).isTrue();
    assertOrderly(relayed.view());
  }

  @Test
  void theUsageObjectKeepsEveryMemberButOurs() {
    String usage =
        "{\"prompt_tokens\":4,\"completion_tokens\":2,\"total_tokens\":null,\"cost\":0.10,"
            + "\"x_llm_cost_micro\":1,\"\\u0078_llm_y\":2,\"d\":{\"cached_tokens\":0}}";
    String got =
        RelayedStream.of(stream(text("x"), finish("stop"), root("[],\"usage\":" + usage))).text();
    assertThat(got)
        .contains(
            "{\"prompt_tokens\":4,\"completion_tokens\":2,\"total_tokens\":6,\"cost\":0.10,"
                + "\"d\":{\"cached_tokens\":0},\"x_llm_cost_micro\":30}");
  }

  @Test
  void azuresFirstChunkAndPaddingAreDroppedAndItsFilterResultsKept() {
    String first =
        "{\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\","
            + "\"prompt_filter_results\":[{\"prompt_index\":0}]}";
    String filtered =
        "{\"choices\":[{\"content_filter_results\":{\"hate\":{}},\"delta\":{},"
            + "\"finish_reason\":null,\"index\":0}],\"created\":1,\"id\":\"c1\",\"usage\":null,"
            + "\"obfuscation\":\"xyz\",\"p\":\"abc\"}";
    RelayedStream relayed =
        RelayedStream.of(stream(first, role(), text("x"), finish("stop"), filtered, DONE));
    assertOrderly(relayed.view());
    assertThat(relayed.text())
        .contains("\"content_filter_results\":{\"hate\":{}}")
        .doesNotContain("prompt_filter_results", "xyz", "abc");
    assertThat(relayed.view().chunks().get(3).path("model").asText()).isEqualTo("acme/m1");
  }

  @Test
  void membersThatOnlyWeMayWriteAreReplacedAndNotAddedTo() {
    String chunk =
        "{\"provider\":\"other\",\"x_llm_cost_micro\":7,\"\\u0078_llm_a\":1,\"id\":\"c1\","
            + "\"id\":\"c2\",\"model\":\"a\",\"model\":\"b\",\"object\":\"x\",\"error\":null,"
            + "\"created\":5,\"created\":6,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},"
            + "\"finish_reason\":null}],\"x_llmx\":1,\"provider\":null}";
    String got = RelayedStream.of(stream(chunk)).text();
    assertThat(got.substring(got.indexOf("\n\n") + 2))
        .isEqualTo(
            "data: {\"id\":\"c1\",\"model\":\"acme/m1\",\"provider\":\"acme-eu\","
                + "\"object\":\"chat.completion.chunk\",\"created\":5,\"choices\":[{\"index\":0,"
                + "\"delta\":{\"content\":\"x\"},\"finish_reason\":null}],\"x_llmx\":1}\n\n");
  }

  @Test
  void whatAProviderLeavesOutIsFilledIn() {
    RelayedStream relayed =
        RelayedStream.of(
            stream("{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}", "{\"choices\":[{}]}"));
    assertThat(relayed.text()).contains("\"created\":" + Samples.CREATED_SECONDS);
    assertThat(AcceptedChunks.unruly(relayed.view().chunks(), false)).isEmpty();
    assertThat(relayed.view().chunks()).hasSize(3);
  }

  @Test
  void oneStreamHasOneIdTheFirstThatIsNotEmpty() {
    String empty = role().replace("\"c1\"", "\"\"");
    String second = text("x").replace("\"c1\"", "\"c2\"");
    ClientView late =
        RelayedStream.of(stream(empty, second, text("y"), finish("stop"), DONE)).view();
    assertOrderly(late);
    ClientView early = RelayedStream.of(stream(second, text("y"), finish("stop"), DONE)).view();
    assertOrderly(early);
    assertThat(early.chunks().getLast().path("id").asText()).isEqualTo("c2");
    String number = text("z").replace("\"c1\"", "7");
    assertOrderly(RelayedStream.of(stream(number, number, finish("stop"), DONE)).view());
  }

  @ParameterizedTest
  @CsvSource({
    "stop, stop",
    "length, length",
    "tool_calls, tool_calls",
    "content_filter, content_filter",
    "function_call, function_call",
    "tool_call, tool_calls",
    "eos, stop",
    "eos_token, stop",
    "end_turn, stop",
    "max_tokens, length",
    "tool_use, tool_calls",
    "stop_sequence, stop",
    "refusal, content_filter",
    "model_context_window_exceeded, length",
    "STOP, stop",
    "MAX_TOKENS, length",
    "SAFETY, content_filter",
    "RECITATION, content_filter",
    "model_length, length",
    "sensitive, content_filter",
    "FAKE_ENUM, stop"
  })
  void aFinishIsOneThatSdksKnow(String reason, String finish) {
    RelayedStream relayed = RelayedStream.of(stream(text("x"), finish(reason)));
    assertThat(relayed.view().finish()).isEqualTo(finish);
    assertOrderly(relayed.view());
  }

  @Test
  void aFinishThatIsEmptyIsNone() {
    for (String none : new String[] {"", "null"}) {
      RelayedStream relayed =
          RelayedStream.of(stream(text("x").replace("null", "\"" + none + "\"")));
      assertThat(relayed.isComplete()).isFalse();
      assertThat(relayed.view().finish()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"error", "ERROR", "network_error", "abort", "insufficient_system_resource"})
  void aFinishThatMeansFailureIsOne(String reason) {
    RelayedStream relayed = RelayedStream.of(stream(role(), text("x"), finish(reason), LAST, DONE));
    assertThat(relayed.endStep()).contains(Step.FAILED);
    assertThat(relayed.isComplete()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"m\",\"code\":502}}",
        "{\"error\":\"m\"}",
        "{\"error\":null,\"error\":{}}",
        "{\"id\":\"x\",\"choices\":[],\"error\":{\"message\":\"m\"}}",
        "{\"object\":\"error\",\"message\":\"m\",\"code\":400}",
        "{\"type\":\"error\",\"message\":\"m\"}",
        "{\"detail\":\"m\"}",
        "{\"message\":\"m\",\"code\":\"1300\"}"
      })
  void anErrorIsRecognizedInAnyShape(String error) {
    RelayedStream first = RelayedStream.of(stream(error, DONE));
    assertThat(first.endStep()).contains(Step.ERROR);
    assertThat(first.chat().contentSeen()).isFalse();
    assertThat(first.text()).isEmpty();
    RelayedStream midway = RelayedStream.of(stream(role(), text("x"), error, text("y"), DONE));
    assertThat(midway.endStep()).contains(Step.ERROR);
    assertThat(midway.view().text()).isEqualTo("x");
    assertThat(new String(midway.error(), StandardCharsets.UTF_8)).isEqualTo(error);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "not json",
        "[]",
        "null",
        "1",
        "{\"choices\":null}",
        "{\"choices\":{}}",
        "{\"choices\":[1]}",
        "{\"choices\":[null]}",
        "{\"choices\":[{\"index\":0,\"delta\":\"x\"}]}",
        "{\"choices\":[{\"index\":0,\"delta\":[]}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":{}}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":0}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":1}]}",
        "{\"choices\":[{\"index\":-1,\"delta\":{\"content\":\"y\"},\"finish_reason\":null}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{}}],\"choices\":[]}",
        "{\"choices\":[],\"choices\":[{\"index\":0,\"delta\":{\"content\":\"y\"}}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{},\"delta\":{\"content\":\"y\"}}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"y\",\"content\":\"\"}}]}",
        "{\"choices\":[{\"delta\":{},\"finish_reason\":null,\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"index\":0,\"delta\":{}}]",
        "{\"choices\":[]}x"
      })
  void anEventThatIsNoChunkBreaksTheStreamUnlessItIsFinished(String bad) {
    RelayedStream first = RelayedStream.of(stream(role(), bad, text("y"), finish("stop"), DONE));
    assertThat(first.endStep()).contains(Step.BROKEN);
    assertThat(first.chat().contentSeen()).isFalse();
    RelayedStream amid =
        RelayedStream.of(stream(role(), text("x"), bad, text("y"), finish("stop"), DONE));
    assertThat(amid.endStep()).contains(Step.BROKEN);
    assertThat(amid.view().text()).isEqualTo("x");
    RelayedStream behind =
        RelayedStream.of(stream(role(), text("x"), finish("stop"), bad, bad, LAST, DONE));
    assertThat(behind.isComplete()).isTrue();
    assertThat(behind.view().text()).isEqualTo("x");
    assertOrderly(behind.view());
    assertThat(behind.chat().badEvents()).isEqualTo(2);
  }

  @Test
  void anEventWithoutChoicesIsDropped() {
    RelayedStream relayed =
        RelayedStream.of(stream("{}", text("x"), "{\"type\":\"ping\"}", finish("stop"), DONE));
    assertThat(relayed.isComplete()).isTrue();
    assertThat(relayed.view().text()).isEqualTo("x");
    assertThat(relayed.chat().badEvents()).isEqualTo(2);
  }

  @Test
  void severalFirstChoicesBreakTheStream() {
    String two = "{\"index\":0,\"delta\":{\"content\":\"b\"}}";
    RelayedStream relayed =
        RelayedStream.of(stream(text("a"), root("[" + two + "," + two + "]"), finish("stop")));
    assertThat(relayed.endStep()).contains(Step.BROKEN);
  }

  @Test
  void numbersThatAreNotFiniteBecomeNull() {
    String odd =
        "[{\"index\":0,\"delta\":{\"content\":\"NaN\"},\"logprobs\":{\"a\":[NaN, -Infinity,Infinity ]}}]";
    RelayedStream relayed = RelayedStream.of(stream(text("x"), root(odd), finish("stop"), DONE));
    assertThat(relayed.isComplete()).isTrue();
    assertThat(relayed.view().text()).isEqualTo("xNaN");
    assertThat(relayed.text()).contains("\"logprobs\":{\"a\":[null, null,null ]}");
    assertThat(relayed.chat().badEvents()).isZero();
    assertThat(relayed.chat().anomalies()).containsExactly(ProtocolAnomaly.NON_FINITE_NUMBER);
  }

  @Test
  void anEventOfNothingIsNoFault() {
    RelayedStream relayed =
        RelayedStream.of(stream(role(), "", " ", "", "", text("x"), "", finish("stop")));
    assertThat(relayed.chat().badEvents()).isZero();
    assertThat(relayed.view().text()).isEqualTo("x");
  }

  @Test
  void bytesThatAreNotUtf8AreReplaced() {
    byte[] stream =
        stream(role(), text("x"), text("\u007f"), text("y"), finish("stop"), DONE)
            .getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < stream.length; i++) {
      stream[i] = stream[i] == 0x7f ? (byte) 0xff : stream[i];
    }
    RelayedStream relayed = RelayedStream.of(stream, RelayedStream.Cut.WHOLE);
    assertThat(relayed.view().text()).isEqualTo("x\ufffdy");
    assertThat(relayed.chat().badEvents()).isZero();
    assertThat(relayed.chat().anomalies()).containsExactly(ProtocolAnomaly.INVALID_UTF8);
  }

  @Test
  void choicesBeyondTheFirstAreLeftOut() {
    String both =
        root(
            "[{\"index\":1,\"delta\":{\"content\":\"b\"}},"
                + "{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]");
    String other = root("[{\"index\":7,\"delta\":{\"content\":\"c\"},\"finish_reason\":\"stop\"}]");
    RelayedStream relayed = RelayedStream.of(stream(both, other, finish("stop"), LAST, DONE));
    assertThat(relayed.view().text()).isEqualTo("a");
    assertThat(relayed.chat().badEvents()).isEqualTo(2);
    assertOrderly(relayed.view());
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "\"0\"", "0.0", "false", "[]", "{}"})
  void anIndexThatIsNoNumberBecomesOne(String index) {
    String chunk = text("x").replace("\"index\":0", "\"index\":" + index);
    assertOrderly(RelayedStream.of(stream(chunk, finish("stop"))).view());
  }

  @Test
  void nothingComesAfterTheTerminator() {
    RelayedStream relayed =
        RelayedStream.of(stream(text("x"), finish("stop"), DONE, text("y"), DONE));
    assertThat(relayed.view().text()).isEqualTo("x");
  }

  @Test
  void lineBreaksInsideAnEventsJsonDoNotEndOurs() {
    String chunk = "data: " + text("x\\ny").replace(",", ",\ndata: ") + "\n\n";
    RelayedStream relayed = RelayedStream.of(chunk + stream(finish("stop")));
    assertThat(relayed.view().text()).isEqualTo("x\ny");
    assertOrderly(relayed.view());
  }

  private static void assertOrderly(ClientView view) {
    assertThat(AcceptedChunks.unruly(view.chunks(), true)).isEmpty();
    assertThat(view.done()).isTrue();
  }

  @Test
  void aLargeEventAheadOfContentIsNotHeld() {
    String large = role().replace("\"object\"", "\"x\":\"" + "x".repeat(70_000) + "\",\"object\"");
    assertThat(large).hasSizeGreaterThan(70_000);
    RelayedStream relayed = RelayedStream.of(stream(large, text("a"), finish("stop"), LAST, DONE));
    assertThat(relayed.view().text()).isEqualTo("a");
    assertThat(relayed.text()).hasSizeLessThan(2_000);
    assertOrderly(relayed.view());
  }
}
