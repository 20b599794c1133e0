package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.Corpora;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Stream variants that were tested with the official SDKs: the checker knows which are rejected,
 * and the gateway's output for each is accepted by all SDKs.
 */
@Tag("corpus")
class AcceptedChunksTest {
  private static final String HEAD =
      "\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\"";
  private static final String ROLE =
      chunk(choice("\"role\":\"assistant\",\"content\":\"\"", "null"));
  private static final String HEL = chunk(choice("\"content\":\"Hel\"", "null"));
  private static final String LO = chunk(choice("\"content\":\"lo\"", "null"));
  private static final String FINISH = chunk(choice("", "\"stop\""));
  private static final String NUMBERS =
      "{\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3}";
  private static final String USAGE = "{" + HEAD + ",\"choices\":[],\"usage\":" + NUMBERS + "}";
  private static final String ERROR =
      "{\"error\":{\"type\":\"provider_error\",\"code\":\"stream_interrupted\",\"message\":\"boom\"}}";

  private static String choice(String delta, String finish) {
    return "{\"index\":0,\"delta\":{" + delta + "},\"finish_reason\":" + finish + "}";
  }

  private static String chunk(String choice) {
    return "{" + HEAD + ",\"choices\":[" + choice + "]}";
  }

  private static List<String> edited(UnaryOperator<String> edit) {
    return List.of(ROLE, HEL, LO, FINISH, USAGE).stream().map(edit).toList();
  }

  private static List<String> called(String first, String second, String third) {
    return List.of(
        chunk(choice("\"role\":\"assistant\",\"content\":null", "null")),
        chunk(choice("\"tool_calls\":[" + first + "]", "null")),
        chunk(choice("\"tool_calls\":[" + second + "]", "null")),
        chunk(choice("\"tool_calls\":[" + third + "]", "null")),
        chunk(choice("", "\"tool_calls\"")),
        USAGE);
  }

  private static String fragment(String members, String function) {
    return "{" + members + "\"function\":{" + function + "}}";
  }

  /** Returns the data of each variant's events by the variant's name in the corpus. */
  private static Map<String, List<String>> variants() {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("baseline", edited(chunk -> chunk));
    all.put("content-null", edited(c -> c.replace("\"content\":\"\"", "\"content\":null")));
    all.put("error-first", List.of(ERROR));
    all.put("error-midstream", List.of(ROLE, HEL, ERROR));
    all.put(
        "error-null-top-level",
        edited(c -> c.replace("\"choices\"", "\"error\":null,\"choices\"")));
    all.put(
        "extra-fields", edited(c -> c.replace("\"choices\"", "\"new\":{\"a\":[1]},\"choices\"")));
    all.put(
        "first-chunk-empty-choices",
        List.of(
            "{\"id\":\"\",\"object\":\"\",\"created\":0,\"model\":\"\",\"choices\":[]}",
            ROLE,
            HEL,
            LO,
            FINISH,
            USAGE));
    all.put("id-changes", List.of(ROLE, HEL.replace("-1", "-2"), LO, FINISH, USAGE));
    all.put("no-created", edited(c -> c.replace("\"created\":1,", "")));
    all.put("no-delta-on-last", edited(c -> c.replace("\"delta\":{},", "")));
    all.put("no-finish-at-all", List.of(ROLE, HEL, LO));
    all.put("no-finish-key", edited(c -> c.replace(",\"finish_reason\":null", "")));
    all.put("no-id", edited(c -> c.replace("\"id\":\"chatcmpl-1\",", "")));
    all.put("no-index", edited(c -> c.replace("\"index\":0,", "")));
    all.put("no-model", edited(c -> c.replace(",\"model\":\"m\"", "")));
    all.put("no-object", edited(c -> c.replace("\"object\":\"chat.completion.chunk\",", "")));
    all.put("no-role", List.of(HEL, LO, FINISH, USAGE));
    all.put("no-usage-chunk", List.of(ROLE, HEL, LO, FINISH));
    all.put(
        "role-every-chunk",
        edited(c -> c.replace("{\"content", "{\"role\":\"assistant\",\"content")));
    all.put("unknown-finish", edited(c -> c.replace("\"stop\"", "\"banana\"")));
    all.put("usage-no-total", edited(c -> c.replace(",\"total_tokens\":3", "")));
    all.put(
        "usage-null", edited(c -> c.contains("usage") ? c : c.replace("]}", "],\"usage\":null}")));
    all.put(
        "usage-on-finish-chunk",
        List.of(ROLE, HEL, LO, FINISH.replace("}]}", "}],\"usage\":" + NUMBERS + "}")));
    toolVariants(all);
    for (String framing :
        List.of(
            "crlf",
            "no-space",
            "no-done",
            "pings",
            "event-lines",
            "done-twice",
            "no-final-blank")) {
      all.put("frame:" + framing, edited(chunk -> chunk));
    }
    return all;
  }

  private static void toolVariants(Map<String, List<String>> all) {
    String first = "\"index\":0,\"id\":\"call_1\",\"type\":\"function\",";
    String named = "\"name\":\"f\",\"arguments\":\"\"";
    String left = "\"arguments\":\"{\\\"a\\\"\"";
    String right = "\"arguments\":\":1}\"";
    String later = "\"index\":0,";
    all.put("tool", tool(first, named, later, left, right));
    all.put("tool-id-empty-later", tool(first, named, later + "\"id\":\"\",", left, right));
    all.put("tool-id-null-later", tool(first, named, later + "\"id\":null,", left, right));
    all.put("tool-id-repeated", tool(first, named, later + "\"id\":\"call_1\",", left, right));
    all.put(
        "tool-name-empty-later",
        tool(first, named, later, "\"name\":\"\"," + left, "\"name\":\"\"," + right));
    all.put("tool-no-index", tool(first.replace("\"index\":0,", ""), named, "", left, right));
    all.put(
        "tool-no-type",
        tool(first.replace("\"type\":\"function\",", ""), named, later, left, right));
  }

  private static List<String> tool(
      String first, String named, String later, String left, String right) {
    return called(fragment(first, named), fragment(later, left), fragment(later, right));
  }

  @Test
  void theCheckerRejectsExactlyWhatSdksReject() {
    JsonNode cases = ClientView.tree(Corpora.text("wire/sdk-acceptance.json")).path("cases");
    TreeSet<String> streams = new TreeSet<>();
    cases.fieldNames().forEachRemaining(name -> streams.add(name));
    streams.removeIf(name -> name.startsWith("http:"));
    assertThat(variants().keySet()).containsExactlyInAnyOrderElementsOf(streams);
    variants()
        .forEach(
            (name, data) -> {
              List<JsonNode> chunks = data.stream().map(ClientView::tree).toList();
              assertThat(AcceptedChunks.rejected(chunks, true).isEmpty())
                  .as("%s: %s", name, AcceptedChunks.rejected(chunks, true))
                  .isEqualTo(isAcceptedByAll(cases.path(name)));
            });
  }

  private static boolean isAcceptedByAll(JsonNode result) {
    return StreamSupport.stream(result.spliterator(), false)
        .flatMap(sdk -> StreamSupport.stream(sdk.spliterator(), false))
        .allMatch(verdict -> verdict.asText().startsWith("ok"));
  }

  @Test
  void whateverVariantAProviderSendsOursIsAccepted() {
    variants()
        .forEach(
            (name, data) -> {
              RelayedStream relayed = RelayedStream.of(framed(name, data));
              boolean fails = name.startsWith("error-f") || name.startsWith("error-m");
              assertThat(relayed.isComplete()).as(name).isEqualTo(!fails);
              assertThat(AcceptedChunks.unruly(relayed.view().chunks(), !fails)).as(name).isEmpty();
              if (!fails && !name.startsWith("tool")) {
                assertThat(relayed.view().text()).as(name).isEqualTo("Hello");
                assertThat(relayed.view().finish()).as(name).isEqualTo("stop");
              }
              if (name.startsWith("tool")) {
                assertThat(relayed.view().calls()).as(name).hasSize(1);
                ClientView.Call call = relayed.view().calls().getFirst();
                assertThat(call.name + call.arguments).as(name).isEqualTo("f{\"a\":1}");
              }
            });
  }

  private static String framed(String name, List<String> data) {
    List<String> events = new ArrayList<>(data);
    if (!name.equals("frame:no-done")) {
      events.add("[DONE]");
    }
    String stream = Chunks.stream(events.toArray(String[]::new));
    return switch (name) {
      case "frame:crlf" -> stream.replace("\n", "\r\n");
      case "frame:no-space" -> stream.replace("data: ", "data:");
      case "frame:pings" -> stream.replace("data: ", ": ping\n\ndata: ");
      case "frame:event-lines" -> stream.replace("data: ", "event: message\ndata: ");
      case "frame:done-twice" -> stream + "data: [DONE]\n\n";
      case "frame:no-final-blank" -> stream.substring(0, stream.length() - 2);
      default -> stream;
    };
  }
}
