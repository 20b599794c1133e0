package dev.tollgate.core.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A session with tools, pictures, reasoning and documents that one provider began, that another
 * continues in the middle, and that the first one ends.
 */
class HandedOverSessionTest {
  private static final int TURNS = 20;

  /** Providers, with what their answers put into a client's history. */
  enum Maker {
    OPENAI(RefusingProvider.OPENAI, "call_", Thoughts.NONE),
    AZURE(RefusingProvider.AZURE, "call_", Thoughts.NONE),
    ANTHROPIC(RefusingProvider.ANTHROPIC, "toolu_", Thoughts.SIGNED),
    VERTEX_CLAUDE(RefusingProvider.VERTEX_CLAUDE, "toolu_vrtx_", Thoughts.SIGNED),
    CONVERSE_CLAUDE(RefusingProvider.CONVERSE_CLAUDE, "tooluse_", Thoughts.SIGNED),
    CONVERSE_OTHER(RefusingProvider.CONVERSE_OTHER, "tooluse_", Thoughts.PLAIN),
    GEMINI(RefusingProvider.GEMINI, "call_r.", Thoughts.ON_CALLS),
    VERTEX(RefusingProvider.VERTEX, "call_s.", Thoughts.ON_CALLS),
    COHERE(RefusingProvider.COHERE, "f.", Thoughts.PLAIN),
    OLLAMA(RefusingProvider.OLLAMA, "call-", Thoughts.PLAIN);

    private final RefusingProvider provider;
    private final String ids;
    private final Thoughts thoughts;

    Maker(RefusingProvider provider, String ids, Thoughts thoughts) {
      this.provider = provider;
      this.ids = ids;
      this.thoughts = thoughts;
    }
  }

  private enum Thoughts {
    NONE,
    PLAIN,
    SIGNED,
    ON_CALLS
  }

  /** Messages of a client, with the path of each text and each file in them. */
  private static final class Session {
    private final StringBuilder json = new StringBuilder();
    private final Map<String, String> paths = new LinkedHashMap<>();
    private int messages;

    private void message(String message, String... marks) {
      json.append(json.isEmpty() ? "" : ",").append(message);
      for (int i = 0; i < marks.length; i++) {
        String part = marks.length == 1 ? "" : ".content[" + i + "]";
        paths.put(marks[i], "messages[" + messages + "]" + part);
      }
      messages++;
    }

    private void turn(int k, Maker maker) {
      String[] asked = {"question" + k + "x", "UElD" + k + "Q", "UERG" + k + "Q"};
      message(
          "{'role':'user','content':["
              + text(asked[0])
              + (k % 5 == 2 ? "," + picture(asked[1]) + "," + document(asked[2]) : "")
              + "]}",
          k % 5 == 2 ? asked : new String[] {asked[0]});
      message(
          "{'role':'assistant','content':'\\n\\n'"
              + reasoning(k, maker.thoughts)
              + ",'tool_calls':["
              + call(maker.ids + k + "a", "1c.look up", maker.thoughts)
              + ","
              + call(maker.ids + k + "b", "mcp__" + "n".repeat(70), Thoughts.NONE)
              + "]}");
      message(result(maker.ids + k + "b", text("second" + k + "x")), "second" + k + "x");
      message(
          result(maker.ids + k + "a", text("first" + k + "x") + "," + picture("U0hPVA" + k + "Q")),
          "first" + k + "x",
          "U0hPVA" + k + "Q");
      String said = k % 5 == 3 ? "'content':null,'refusal'" : "'content'";
      boolean draws = maker.thoughts == Thoughts.ON_CALLS && k % 5 == 1;
      String drawn = draws ? ",'images':[" + picture("RFJBV04" + k + "Q") + "]" : "";
      message(
          "{'role':'assistant'," + said + ":'answer" + k + "x'" + drawn + "}", "answer" + k + "x");
      if (draws) {
        paths.put("RFJBV04" + k + "Q", "messages[" + (messages - 1) + "].images");
      }
    }

    private static String text(String text) {
      return "{'type':'text','text':'" + text + "'}";
    }

    private static String picture(String base64) {
      return "{'type':'image_url','image_url':{'url':'data:image/png;base64," + base64 + "'}}";
    }

    private static String document(String base64) {
      return "{'type':'file','file':{'filename':'a.pdf','file_data':'data:application/pdf;base64,"
          + base64
          + "'}}";
    }

    private static String reasoning(int k, Thoughts thoughts) {
      return switch (thoughts) {
        case NONE, ON_CALLS -> "";
        case PLAIN -> ",'reasoning_content':'thought" + k + "'";
        case SIGNED ->
            ",'reasoning_content':'thought','reasoning_details':[{'type':'reasoning.text',"
                + "'text':'thought','signature':'c2ln','index':0}]";
      };
    }

    private static String call(String id, String name, Thoughts thoughts) {
      return "{'id':'"
          + id
          + "','type':'function','function':{'name':'"
          + name
          + "','arguments':'{}'}"
          + (thoughts == Thoughts.ON_CALLS
              ? ",'extra_content':{'google':{'thought_signature':'c2ln'}}"
              : "")
          + "}";
    }

    private static String result(String id, String parts) {
      return "{'role':'tool','tool_call_id':'" + id + "','content':[" + parts + "]}";
    }

    private String chat() {
      return ("{'model':'a/b','messages':["
              + json
              + "],'user':'jane@example.com','tools':[{'type':'function','function':{'name':'1c.look up',"
              + "'parameters':{'properties':{}}}},{'type':'function','function':{'name':'mcp__"
              + "n".repeat(70)
              + "'}}]}")
          .replace('\'', '"');
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachRequestIsTakenAndNothingIsLostUnnamed(Maker first) throws Exception {
    for (Maker second : Maker.values()) {
      var session = new Session();
      session.message("{'role':'system','content':'rules'}", "rules");
      for (int k = 1; k <= TURNS; k++) {
        Maker maker = k > 7 && k <= 14 ? second : first;
        session.turn(k, maker);
        if (k == 7 || k == 14 || k == TURNS) {
          for (Maker next : Stream.of(first, second).distinct().toList()) {
            String chat = session.chat();
            RefusingProvider.Sent sent = next.provider.sent(chat);
            assertThat(next.provider.refusals(sent.body())).as("%s to %s", first, next).isEmpty();
            assertThat(lost(session, sent)).as("%s to %s", first, next).isEmpty();
          }
        }
      }
    }
  }

  private static List<String> lost(Session session, RefusingProvider.Sent sent) {
    return session.paths.entrySet().stream()
        .filter(mark -> !sent.body().contains(mark.getKey()))
        .filter(mark -> sent.dropped().stream().noneMatch(mark.getValue()::startsWith))
        .map(mark -> mark.getKey() + " at " + mark.getValue() + " unlike " + sent.dropped())
        .toList();
  }
}
