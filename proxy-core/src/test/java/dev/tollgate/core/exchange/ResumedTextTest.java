package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Whatever the text, wherever two providers break off, and however each cuts it into events and
 * writes its characters: the client gets it whole, nothing twice.
 */
class ResumedTextTest {
  private static final String[] PIECES = {
    "word ",
    "\u4f60\u597d",
    "\ud83d\ude00",
    "\ud83c\udfc1",
    "\"",
    "\\",
    "\n",
    "\u00e9",
    "a",
    " ",
    "\u0001",
    "\t/"
  };

  @Test
  void theClientsTextIsTheWholeText() {
    Seeds.forEach(300, random -> new Play(random).run());
  }

  private static final class Play {
    private final Random random;
    private final String thought;
    private final String said;
    private final Prefill prefill;
    private boolean rolesEverywhere;

    Play(Random random) {
      this.random = random;
      this.thought = random.nextInt(3) == 0 ? text() : "";
      this.said = text();
      this.prefill = random.nextBoolean() ? Prefill.MESSAGE : Prefill.NONE;
    }

    private String text() {
      StringBuilder text = new StringBuilder("T");
      for (int n = random.nextInt(12); n >= 0; n--) {
        text.append(PIECES[random.nextInt(PIECES.length)]);
      }
      return text.toString();
    }

    void run() {
      Provider[] providers = new Provider[3];
      for (int n = 0; n < providers.length; n++) {
        providers[n] = TestCatalog.prefilled("p" + n, prefill);
      }
      try (var scenario = Scenario.of(TestCatalog.of(providers))) {
        RecordedClient client =
            scenario.ask(
                "{\"model\":\"acme/one\",\"stream\":true,\"routing\":{\"resume\":\"auto\"},"
                    + "\"messages\":[{\"role\":\"user\",\"content\":\"?\"}]}");
        for (int n = 0; n < providers.length && !client.isAnswered(); n++) {
          rolesEverywhere = client.isOpened();
          answer(scenario, scenario.link(n), n == providers.length - 1);
        }
        requireWhole(scenario, client);
      }
    }

    private void requireWhole(Scenario scenario, RecordedClient client) {
      ClientStream seen = ClientStream.of(client);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(seen.content).hasToString(said);
      assertThat(seen.reasoning).hasToString(thought);
      assertThat(seen.ids).hasSize(1);
      assertThat(seen.roles).isOne();
      assertThat(seen.finishes).containsExactly("stop");
      assertThat(seen.usages).hasSize(1);
      assertThat(scenario.ledger().charged()).hasSize(1);
    }

    private void answer(Scenario scenario, ProviderLink link, boolean whole) {
      String begun = begun(link.received());
      assertThat(said).startsWith(begun);
      byte[] bytes = stream(said.substring(begun.length()), begun.isEmpty()).getBytes(UTF_8);
      int end = whole ? bytes.length : random.nextInt(bytes.length);
      for (int at = 0; at < end; ) {
        int to = Math.min(end, at + 1 + random.nextInt(300));
        link.send(bytes, at, to);
        at = to;
      }
      if (!whole && random.nextBoolean()) {
        link.fin();
      } else if (!whole) {
        link.reset();
      }
      scenario.run();
    }

    /** The assistant's message in the request to the provider. */
    private static String begun(String request) {
      String sent = new String(request.getBytes(ISO_8859_1), UTF_8);
      JsonMembers body = ClientStream.parse(sent.substring(sent.indexOf("\r\n\r\n") + 4));
      JsonElements messages = body.array(body.indexOf("messages"));
      JsonMembers last = messages.object(messages.size() - 1);
      return last.isString(last.indexOf("role"), "assistant")
          ? last.string(last.indexOf("content"))
          : "";
    }

    private String stream(String left, boolean fromStart) {
      StringBuilder all = new StringBuilder(OpenAiWire.STREAM_HEAD);
      String id = "c" + random.nextInt();
      if (random.nextBoolean()) {
        all.append(OpenAiWire.event(OpenAiWire.role()));
      }
      texts(id, "reasoning_content", fromStart ? thought : "", all);
      texts(id, "content", left, all);
      all.append(chunk(id, "\"content\":\"\"", "\"stop\""));
      if (random.nextBoolean()) {
        all.append(OpenAiWire.event(OpenAiWire.usage(3, 4)));
      }
      return all.append(OpenAiWire.event("[DONE]")).append(OpenAiWire.LAST_CHUNK).toString();
    }

    private void texts(String id, String name, String text, StringBuilder to) {
      for (int at = 0; at < text.length(); ) {
        int end = Math.min(text.length(), at + 1 + random.nextInt(6));
        String role = rolesEverywhere && random.nextBoolean() ? "\"role\":\"assistant\"," : "";
        String value = "\"" + name + "\":\"" + written(text.substring(at, end)) + "\"";
        to.append(chunk(id, role + value, "null"));
        at = end;
      }
    }

    private static String chunk(String id, String delta, String finish) {
      return OpenAiWire.event(
          "{\"id\":\""
              + id
              + "\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","
              + "\"choices\":[{\"index\":0,\"delta\":{"
              + delta
              + "},\"finish_reason\":"
              + finish
              + "}]}");
    }

    /** JSON's ways to write a character, at random. */
    private String written(String text) {
      StringBuilder out = new StringBuilder();
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        boolean alone =
            Character.isSurrogate(c)
                && !(i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1)));
        if (c < ' ' || c == '"' || c == '\\' || alone || random.nextInt(4) == 0) {
          out.append(String.format("\\u%04x", (int) c));
        } else if (Character.isHighSurrogate(c)) {
          out.append(c).append(text.charAt(++i));
        } else {
          out.append(c);
        }
      }
      return out.toString();
    }
  }
}
