package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonMembers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls without a result, results without a call, and ids of calls that are used again. */
class CallPairingTest {
  private static final String USER = "{'role':'user','content':'Q'}";
  private static final String TEXT = "{'role':'assistant','content':'A'}";
  private static final String NOTE = "{'role':'system','content':'S'}";
  private static final String OLDER =
      "{'role':'assistant','function_call':{'name':'f','arguments':'{}'}}";
  private static final String CUSTOM =
      "{'role':'assistant','tool_calls':[{'id':'c1','type':'custom','custom':{'name':'c','input':'a \\\\ b'}}]}";

  private static String call(String... ids) {
    StringBuilder calls = new StringBuilder();
    for (String id : ids) {
      calls.append(calls.isEmpty() ? "" : ",").append("{'id':'").append(id);
      calls.append("','type':'function','function':{'name':'f','arguments':'{}'}}");
    }
    return "{'role':'assistant','tool_calls':[" + calls + "]}";
  }

  private static String result(String id) {
    return "{'role':'tool','tool_call_id':'" + id + "','content':'R'}";
  }

  private static String chat(String... messages) {
    return ("{'model':'a/b','messages':[" + String.join(",", messages) + "]}").replace('\'', '"');
  }

  private static List<String> unpaired(CallPairing pairing, String... messages) throws Exception {
    byte[] json = chat(messages).getBytes(UTF_8);
    return pairing.unpaired(JsonMembers.of(json, 0, json.length));
  }

  @Test
  void callsWithTheirResultsAreTaken() throws Exception {
    for (CallPairing pairing : CallPairing.values()) {
      assertThat(unpaired(pairing, USER, call("a", "b"), result("b"), NOTE, result("a"), USER))
          .isEmpty();
      assertThat(unpaired(pairing, OLDER, "{'role':'function','name':'f','content':'R'}"))
          .isEmpty();
      assertThat(unpaired(pairing, CUSTOM, result("c1"), call("c1"), result("c1"))).isEmpty();
    }
    assertThat(
            unpaired(CallPairing.BEHIND_TURN, call("a"), TEXT, call("b"), result("a"), result("b")))
        .isEmpty();
    assertThat(unpaired(CallPairing.NONE, call("a"), USER, result("x"))).isEmpty();
  }

  @Test
  void whatHasNoOtherIsNamed() throws Exception {
    assertThat(unpaired(CallPairing.BEHIND_TURN, call("a", "b"), result("a"), USER, result("b")))
        .containsExactly("messages[0].tool_calls[1]", "messages[3].tool_call_id");
    assertThat(unpaired(CallPairing.BEHIND_TURN, USER, result("a"), call("c")))
        .containsExactly("messages[1].tool_call_id", "messages[2].tool_calls[0]");
    assertThat(unpaired(CallPairing.BEHIND_TURN, call("a"), result("a"), result("a")))
        .containsExactly("messages[2].tool_call_id");
    assertThat(unpaired(CallPairing.BEHIND_TURN, call("a", "a"), result("a")))
        .containsExactly("messages[0].tool_calls[1].id");
    assertThat(unpaired(CallPairing.BEHIND_TURN, OLDER, USER))
        .containsExactly("messages[0].function_call");
    assertThat(unpaired(CallPairing.BEHIND_MESSAGE, call("a"), TEXT, result("a")))
        .containsExactly("messages[0].tool_calls[0]", "messages[2].tool_call_id");
  }

  @Test
  void theRefusalSaysWhy() {
    assertThat(
            Fault.invalid(CallPairing.issues(List.of("messages[3].tool_call_id")).orElseThrow())
                .message())
        .isEqualTo(
            "messages[3].tool_call_id: answers no call of the assistant's message before it");
    assertThat(CallPairing.issues(List.of("messages[1].content[0]"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"anthropic, claude-haiku-4-5", "bedrock, amazon.nova-pro-v1:0"})
  void anIdThatIsUsedAgainIsAnother(String dialect, String model) throws Exception {
    String chat =
        chat(
            USER,
            call("c.1"),
            result("c.1"),
            call("c.1"),
            result("c.1"),
            call("c_1"),
            result("c_1"));
    JsonNode sent =
        new ObjectMapper()
            .readTree(ConfiguredModel.of(dialect, model).of(chat).body().toString(UTF_8));
    boolean isConverse = dialect.equals("bedrock");
    assertThat(sent.findValuesAsText(isConverse ? "toolUseId" : "tool_use_id"))
        .containsSubsequence("c_1", "c_1_2", "c_1_3");
    assertThat(sent.toString()).doesNotContain("c.1");
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic, claude-haiku-4-5, input",
    "bedrock, amazon.nova-pro-v1:0, input",
    "gemini, gemini-2.5-flash, args",
    "ollama, qwen3, arguments"
  })
  void aCallOfACustomToolIsOneOfAFunction(String dialect, String model, String member)
      throws Exception {
    String chat = chat(USER, CUSTOM, result("c1"));
    TranslatedRequest sent = ConfiguredModel.of(dialect, model).of(chat);
    JsonNode arguments = new ObjectMapper().readTree(sent.body().toString(UTF_8)).findValue(member);
    assertThat(arguments.path("input").asText()).isEqualTo("a \\ b");
    assertThat(sent.dropped()).isEmpty();
  }
}
