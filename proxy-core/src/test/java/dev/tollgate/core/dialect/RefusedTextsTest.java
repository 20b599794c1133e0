package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.anthropic.OpaqueUserId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Texts that a provider refuses: white space alone, white space at an end, personal data as ids.
 */
class RefusedTextsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static JsonNode tree(String json) throws Exception {
    return MAPPER.readTree(json.replace('\'', '"'));
  }

  private static TranslatedRequest sent(String dialect, String model, String members)
      throws Exception {
    return ConfiguredModel.of(dialect, model)
        .of(("{'model':'a/b'," + members + "}").replace('\'', '"'));
  }

  private static JsonNode body(TranslatedRequest sent) throws Exception {
    return MAPPER.readTree(sent.body().toString(UTF_8));
  }

  private static final String BLANKS =
      "'messages':[{'role':'system','content':' \\n'},"
          + "{'role':'user','content':[{'type':'text','text':' '},{'type':'text','text':'Hi'},"
          + "{'type':'text','text':'\\u00a0\\t'}]},"
          + "{'role':'assistant','content':'\\n\\n','tool_calls':[{'id':'c1','type':'function',"
          + "'function':{'name':'f','arguments':'{}'}}]},"
          + "{'role':'tool','tool_call_id':'c1','content':'done'},"
          + "{'role':'assistant','content':[{'type':'text','text':'  '}]},"
          + "{'role':'user','content':' \\n'}]";

  private static final String HISTORY_OF_CLAUDE =
      "[{'role':'user','content':[{'type':'text','text':'Hi'}]},"
          + "{'role':'assistant','content':[{'type':'tool_use','id':'c1','name':'f','input':{}}]},"
          + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c1',"
          + "'content':[{'type':'text','text':'done'}]}]}]";

  private static final String HISTORY_OF_CONVERSE =
      "[{'role':'user','content':[{'text':'Hi'}]},"
          + "{'role':'assistant','content':[{'toolUse':{'toolUseId':'c1','name':'f','input':{}}}]},"
          + "{'role':'user','content':[{'toolResult':{'toolUseId':'c1',"
          + "'content':[{'text':'done'}]}}]}]";

  @ParameterizedTest
  @CsvSource({
    "anthropic, claude-haiku-4-5",
    "vertex-anthropic, claude-sonnet-4-6",
    "bedrock, us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "bedrock, amazon.nova-pro-v1:0"
  })
  void whiteSpaceAloneIsLeftOutAndSoIsATurnOfNothingElse(String dialect, String model)
      throws Exception {
    TranslatedRequest sent = sent(dialect, model, BLANKS);
    assertThat(body(sent).path("messages"))
        .isEqualTo(tree(dialect.equals("bedrock") ? HISTORY_OF_CONVERSE : HISTORY_OF_CLAUDE));
    assertThat(body(sent).has("system")).isFalse();
    assertThat(sent.dropped()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "anthropic | claude-haiku-4-5 | messages | {'role':'user','content':[{'type':'text','text':'...'}]}",
        "vertex-anthropic | claude-sonnet-4-6 | messages | {'role':'user','content':[{'type':'text','text':'...'}]}",
        "bedrock | amazon.nova-pro-v1:0 | messages | {'role':'user','content':[{'text':'...'}]}",
        "gemini | gemini-2.5-flash | contents | {'role':'user','parts':[{'text':'...'}]}"
      })
  void auserWhoSaysNothingStillHasTheLastWord(
      String dialect, String model, String member, String last) throws Exception {
    String silent = "{'role':'user','content':''}";
    JsonNode alone = body(sent(dialect, model, "'messages':[" + silent + "]")).path(member);
    assertThat(alone).isEqualTo(tree("[" + last + "]"));
    String asked = "{'role':'user','content':'Q'},{'role':'assistant','content':'A '},";
    JsonNode behind =
        body(sent(dialect, model, "'messages':[" + asked + silent + "]")).path(member);
    assertThat(behind.size()).isEqualTo(3);
    assertThat(behind.path(2)).isEqualTo(tree(last));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'role':'assistant','content':'I think. The word is: '} | I think. The word is:",
        "{'role':'assistant','content':[{'type':'text','text':'I think.'},{'type':'text','text':' The word is:\\u00a0'}]}"
            + " | I think. The word is:",
        "{'role':'assistant','content':[{'type':'text','text':'It is: '},{'type':'text','text':' \\n'}]} | It is:",
        "{'role':'assistant','content':[{'type':'refusal','refusal':'No. '}]} | No.",
        "{'role':'assistant','content':'One \\n'},{'role':'assistant','content':' '} | One",
        "{'role':'assistant','content':'One '},{'role':'assistant','content':[{'type':'text','text':'two '}]} | One two"
      })
  void anAnswerThatIsToBeContinuedEndsInNoWhiteSpace(String answer, String text) throws Exception {
    String messages = "'messages':[{'role':'user','content':'One word.'}," + answer + "]";
    for (String[] of :
        new String[][] {
          {"anthropic", "claude-haiku-4-5"},
          {"vertex-anthropic", "claude-sonnet-4-5"},
          {"bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"},
          {"bedrock", "amazon.nova-pro-v1:0"}
        }) {
      TranslatedRequest sent = sent(of[0], of[1], messages);
      JsonNode turns = body(sent).path("messages");
      assertThat(turns.size()).isEqualTo(2);
      assertThat(String.join("", turns.path(1).findValuesAsText("text"))).isEqualTo(text);
      assertThat(sent.dropped()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"anthropic, claude-haiku-4-5", "bedrock, amazon.nova-pro-v1:0"})
  void anAnswerIsNotContinuedBecauseTheLastOneSaysNothing(String dialect, String model)
      throws Exception {
    String messages =
        "'messages':[{'role':'user','content':'Q'},{'role':'assistant','content':'A '},"
            + "{'role':'user','content':' '},{'role':'assistant','content':''}]";
    JsonNode turns = body(sent(dialect, model, messages)).path("messages");
    assertThat(turns.path(turns.size() - 1).path("role").asText()).isEqualTo("user");
  }

  @ParameterizedTest
  @CsvSource({
    "jane.doe@example.com, true",
    "user jane@mail.example, true",
    "+49 170 1234567, true",
    "call (415) 555-0132, true",
    "0170 123 45 67, true",
    "4155550132, true",
    "u1, false",
    "team-7/user-12, false",
    "550e8400-e29b-41d4-a716-446655440000, false",
    "2026-11-26T10:00:00, false",
    "@jane, false",
    "user_2fA9, false"
  })
  void anIdIsNoAddressAndNoTelephoneNumber(String id, boolean isHashed) throws Exception {
    for (String member :
        new String[] {"'user':'%s'", "'safety_identifier':'%s'", "'metadata':{'user_id':'%s'}"}) {
      for (String dialect : new String[] {"anthropic", "vertex-anthropic"}) {
        TranslatedRequest sent =
            sent(
                dialect,
                "claude-haiku-4-5",
                "'messages':[{'role':'user','content':'Hi.'}]," + member.formatted(id));
        String got = body(sent).path("metadata").path("user_id").asText();
        if (isHashed) {
          assertThat(got).matches("[0-9a-f]{32}").isEqualTo(OpaqueUserId.of(id));
        } else {
          assertThat(got).isEqualTo(id);
        }
        assertThat(sent.dropped()).isEmpty();
      }
    }
  }
}
