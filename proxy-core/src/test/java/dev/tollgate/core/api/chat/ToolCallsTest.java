package dev.tollgate.core.api.chat;

import static dev.tollgate.core.api.Chunks.calls;
import static dev.tollgate.core.api.Chunks.delta;
import static dev.tollgate.core.api.Chunks.finish;
import static dev.tollgate.core.api.Chunks.stream;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.AcceptedChunks;
import dev.tollgate.core.api.Chunks;
import dev.tollgate.core.api.RelayedStream;
import dev.tollgate.core.api.ReplyEventStream.Step;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tool calls in streams: whole, in fragments, parallel, and with members that providers omit. */
class ToolCallsTest {
  @Test
  void fragmentsThatHaveAllTheyNeedAreNotTouched() {
    String first =
        "{\"function\":{\"arguments\":\"\",\"name\":\"f\"},\"id\":\"a\",\"index\": 0,"
            + "\"type\":\"function\"}";
    String later = "{\"index\":0 ,\"function\":{\"arguments\":\"{\\\"x\\\":1}\"}}";
    String second = "{\"index\":1,\"id\":\"b\",\"type\":\"custom\",\"custom\":{\"name\":\"c\"}}";
    RelayedStream relayed = relayed(calls(first), calls(later), calls(second));
    assertThat(relayed.text()).contains("[" + first + "]", "[" + later + "]", "[" + second + "]");
    assertThat(names(relayed)).containsExactly("f a {\"x\":1}", " b ");
  }

  @Test
  void callsThatComeWholeWithoutIndexAndTypeGetThem() {
    RelayedStream relayed =
        relayed(
            calls(whole("a", "f", "{}") + "," + whole("b", "g", "[]")),
            calls(whole("c", "h", "1")));
    assertThat(names(relayed)).containsExactly("f a {}", "g b []", "h c 1");
    assertThat(relayed.view().calls())
        .allSatisfy(call -> assertThat(call.type).isEqualTo("function"));
  }

  @Test
  void fragmentsWithoutAnIndexBelongToTheLastCall() {
    RelayedStream relayed =
        relayed(
            calls(whole("a", "f", "{")),
            calls("{\"function\":{\"arguments\":\"}\"}}"),
            calls(whole("b", "g", "[")),
            calls("{\"id\":\"b\",\"index\":null,\"function\":{\"arguments\":\"]\"}}"),
            calls(
                "{\"id\":\"\",\"index\":\"1\",\"type\":null,\"function\":{\"arguments\":\" \"}}"));
    assertThat(names(relayed)).containsExactly("f a {}", "g b [] ");
  }

  @Test
  void aCallThatBeginsWithAnEmptyIdGetsOneLikeACallWithout() {
    String fragment = ",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}";
    String without = relayed(calls("{\"index\":0" + fragment)).view().calls().getFirst().id;
    assertThat(without).isNotEmpty();
    for (String none : new String[] {"\"\"", "null"}) {
      RelayedStream relayed =
          relayed(
              calls("{\"index\":0,\"id\":" + none + fragment),
              calls("{\"index\":0,\"id\":\"\",\"function\":{\"arguments\":\" \"}}"));
      assertThat(relayed.view().calls()).singleElement().extracting("id").isEqualTo(without);
    }
  }

  @Test
  void aRepeatedIdIsTheSameCall() {
    RelayedStream relayed =
        relayed(
            calls("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"1\"}}"),
            calls("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"2\"}}"));
    assertThat(names(relayed)).containsExactly("f a 12");
    assertThat(relayed.text().split("\"type\":\"function\"", -1)).hasSize(2);
  }

  @Test
  void aCallWithoutAnIdGetsOneThatStays() {
    RelayedStream relayed =
        relayed(
            calls("{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"\"}}"),
            calls("{\"index\":0,\"function\":{\"arguments\":\"1\"}}"),
            calls("{\"index\":1,\"id\":null,\"function\":{\"name\":\"g\",\"arguments\":\"2\"}}"));
    List<String> ids = relayed.view().calls().stream().map(call -> call.id).toList();
    assertThat(ids).hasSize(2).doesNotHaveDuplicates().allMatch(id -> id.startsWith("call_"));
    assertThat(relayed.text().split("\"id\":\"call_", -1)).hasSize(3);
  }

  @Test
  void argumentsThatAreNoTextBecomeText() {
    RelayedStream relayed =
        relayed(
            calls(
                "{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                    + "\"arguments\":{\"x\": \"\u00e9\\n\"}}}"),
            calls("{\"index\":1,\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"g\"}}"),
            calls("{\"index\":1,\"function\":{\"arguments\":[1]}}"));
    assertThat(names(relayed)).containsExactly("f a {\"x\": \"\u00e9\\n\"}", "g b [1]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'name':'f'}",
        "{'name':'f','arguments':null}",
        "{'name':'f','arguments':''}",
        "{'name':'f','arguments':{}}"
      })
  void aFunctionWithoutArgumentsEndsWithAnEmptyObject(String function) {
    String json = function.replace('\'', '"');
    String call = "{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":" + json + "}";
    String other = "{\"index\":1,\"id\":\"b\",\"type\":\"function\",\"function\":" + json + "}";
    String last =
        Chunks.root(
            "[{\"index\":0,\"delta\":{\"tool_calls\":["
                + other
                + "]},\"finish_reason\":\"tool_calls\"}]");
    String noDelta = Chunks.root("[{\"index\":0,\"finish_reason\":\"tool_calls\"}]");

    for (String end : List.of(finish("tool_calls"), noDelta, "[DONE]")) {
      RelayedStream relayed = RelayedStream.of(stream(calls(call), end, Chunks.DONE));
      assertThat(names(relayed)).as(end).containsExactly("f a {}");
    }
    assertThat(names(RelayedStream.of(stream(calls(call), last, Chunks.DONE))))
        .containsExactly("f a {}", "f b {}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'name':'f','arguments':{'a':1}} | {'a':1}",
        "{'name':'f','arguments':''} | {}",
        "{'name':'f'} | {}",
        "{'name':'f','arguments':'{}'} | {}",
      })
  void theOlderFormHasArgumentsOfTextToo(String function, String arguments) {
    String call = "\"function_call\":" + function.replace('\'', '"');
    String whole =
        Chunks.root("[{\"index\":0,\"delta\":{" + call + "},\"finish_reason\":\"function_call\"}]");
    for (String stream :
        List.of(stream(delta(call), finish("function_call"), Chunks.DONE), stream(whole))) {
      StringBuilder collected = new StringBuilder();
      for (JsonNode chunk : RelayedStream.of(stream).view().chunks()) {
        JsonNode made = chunk.at("/choices/0/delta/function_call");
        assertThat(made.path("arguments").isObject()).isFalse();
        collected.append(made.path("arguments").asText());
      }
      assertThat(collected).hasToString(arguments.replace('\'', '"'));
    }
  }

  @Test
  void aNameThatIsRepeatedBeginsNoOtherFunction() {
    String named = "\"function_call\":{\"name\":\"f\",\"arguments\":\"";
    RelayedStream relayed =
        RelayedStream.of(
            stream(
                delta(named + "{}\"}"),
                delta(named + "\"}"),
                finish("function_call"),
                Chunks.DONE));
    String arguments =
        relayed.view().chunks().stream()
            .map(chunk -> chunk.at("/choices/0/delta/function_call/arguments").asText())
            .collect(Collectors.joining());
    assertThat(arguments).isEqualTo("{}");
  }

  @Test
  void oddFragmentsAreLeftAlone() {
    for (String odd :
        List.of(
            "1",
            "null",
            "[]",
            "{\"index\":99999999999,\"id\":\"a\",\"function\":1}",
            "{\"index\":-1,\"function\":{\"name\":[],\"arguments\":{}}}")) {
      RelayedStream relayed =
          relayed(calls(odd), delta("\"tool_calls\":{}"), delta("\"tool_calls\":1"));
      assertThat(relayed.isComplete()).isTrue();
      assertThat(relayed.chat().badEvents()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\\\"x\\\":1",
        "{\\\"x\\\":\\\"}\\\"",
        "{\\\"x\\\":[{}",
        "{\\\"x\\\":\\\"\\\\\\\"}"
      })
  void argumentsThatAreCutOffBreakAStreamWithoutAFinish(String arguments) {
    String cut = calls(whole("a", "f", arguments));
    RelayedStream relayed =
        RelayedStream.of(stream(calls(whole("b", "g", "{}")), cut, Chunks.DONE));
    assertThat(relayed.endStep()).contains(Step.BROKEN);
    assertThat(relayed.isComplete()).isFalse();
    String older = delta("\"function_call\":{\"name\":\"f\",\"arguments\":\"" + arguments + "\"}");
    assertThat(RelayedStream.of(stream(older, Chunks.DONE)).endStep()).contains(Step.BROKEN);
    assertThat(RelayedStream.of(stream(cut, finish("tool_calls"), Chunks.DONE)).isComplete())
        .isTrue();
  }

  @Test
  void argumentsThatAreWholeAreCompletedWithoutAFinish() {
    String piece = "{\"index\":0,\"function\":{\"arguments\":\"";
    String first = calls(whole("a", "f", "{\\\"x\\\":\\\"{\\\\"));
    String object =
        "{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":{\"y\":\"{\"}}}";
    RelayedStream relayed =
        RelayedStream.of(
            stream(
                first,
                calls(object),
                calls(piece + "\\\"[\\\"\"}}"),
                calls(piece + "}\"}}"),
                Chunks.DONE));
    assertThat(relayed.isComplete()).isTrue();
    assertThat(names(relayed)).containsExactly("f a {\"x\":\"{\\\"[\"}", "g b {\"y\":\"{\"}");
  }

  private static String whole(String id, String name, String arguments) {
    return "{\"id\":\""
        + id
        + "\",\"function\":{\"name\":\""
        + name
        + "\",\"arguments\":\""
        + arguments
        + "\"}}";
  }

  private static RelayedStream relayed(String... chunks) {
    RelayedStream relayed =
        RelayedStream.of(stream(chunks) + stream(finish("tool_calls"), Chunks.DONE));
    assertThat(relayed.view().done()).isTrue();
    return relayed;
  }

  private static List<String> names(RelayedStream relayed) {
    assertThat(AcceptedChunks.unruly(relayed.view().chunks(), true)).isEmpty();
    return relayed.view().calls().stream()
        .map(call -> call.name + " " + call.id + " " + call.arguments)
        .toList();
  }
}
