package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.json.RandomJson;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Body of an upstream request: the gateway's members are edited, the rest is byte for byte. */
class RequestSpliceTest {
  private static final String OWN = "\"" + Samples.UPSTREAM_MODEL + "\"";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "\"stream\":true | \"stream\":true,\"stream_options\":{\"include_usage\":true}",
        "\"stream\":true,\"stream_options\":null"
            + " | \"stream\":true,\"stream_options\":{\"include_usage\":true}",
        "\"stream_options\":{ },\"stream\":true"
            + " | \"stream_options\":{\"include_usage\":true},\"stream\":true",
        "\"stream\":true,\"stream_options\" : {\"x\": 1.0}"
            + " | \"stream\":true,\"stream_options\" : {\"x\": 1.0,\"include_usage\":true}",
        "\"stream\":true,\"stream_options\":{\"include_usage\":false , \"x\":[ ]}"
            + " | \"stream\":true,\"stream_options\":{\"include_usage\":true , \"x\":[ ]}",
        "\"stream\":true,\"stream_options\":{\"include_usage\":null,\"include_usage\":false}"
            + " | \"stream\":true,\"stream_options\":{\"include_usage\":true}",
        "\"stream\":true,\"stream_options\":{\"include\\u005fusage\":0}"
            + " | \"stream\":true,\"stream_options\":{\"include\\u005fusage\":true}",
        "\"stream\":false,\"stream_options\":{\"include_usage\":false}"
            + " | \"stream\":false,\"stream_options\":{\"include_usage\":false}",
        "\"stream_options\":null | \"stream_options\":null",
        "\"stream\":null | \"stream\":null"
      })
  void usageIsRequestedWhereverTheOptionsAre(String members, String upstream) {
    assertThat(ChatBodies.upstream(ChatBodies.valid(ChatBodies.with(members)), true))
        .isEqualTo(ChatBodies.with(upstream).replace("\"acme/m1\"", OWN));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"stream\":true | \"stream\":true",
        "\"stream\":true,\"stream_options\":{\"include_usage\":true},\"x\":1"
            + " | \"stream\":true,\"x\":1",
        "\"stream\":false,\"stream_options\":{} | \"stream\":false,\"stream_options\":{}"
      })
  void aProviderThatDoesNotKnowTheOptionsGetsNoneInAStream(String members, String upstream) {
    assertThat(ChatBodies.upstream(ChatBodies.valid(ChatBodies.with(members)), false))
        .isEqualTo(ChatBodies.with(upstream).replace("\"acme/m1\"", OWN));
  }

  @Test
  void routingAndItsAliasAreTakenOut() {
    String body =
        " {\"routing\" : {\"order\":[\"a\"]} , \"model\":\"acme/m1\", \"provider\":{},\n"
            + "\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\\ud800\"}],\"a\" :1.0 } ";
    assertThat(ChatBodies.upstream(ChatBodies.valid(body), true))
        .isEqualTo(
            "{\"model\":"
                + OWN
                + ",\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\\ud800\"}],\"a\" :1.0 }");
  }

  @Test
  void nothingButWhatIsOursDiffersInRandomBodies() {
    Seeds.forEach(
        random -> {
          List<String> members = members(random);
          boolean stream = random.nextBoolean();
          if (stream) {
            members.add("\"stream\": true");
          }
          Collections.shuffle(members, random);
          String body = "{" + String.join(",", members) + "}";
          String upstream = ChatBodies.upstream(ChatBodies.valid(body), true);
          assertThat(upstream).isEqualTo(expected(members, stream));
          ObjectNode sent = (ObjectNode) ClientView.tree(body);
          ObjectNode got = (ObjectNode) ClientView.tree(upstream);
          List<String> ours = List.of("model", "routing", "provider", "stream_options");
          assertThat(got.remove(ours)).isEqualTo(sent.remove(ours));
        });
  }

  private static List<String> members(Random random) {
    List<String> members = new ArrayList<>();
    members.add("\"model\" :\t\"acme\\u002fm1\"");
    members.add("\"messages\": [ {\"role\":\"user\" ,\"content\":\"\\u4e2d\\n\"} ]");
    if (random.nextBoolean()) {
      members.add("\"routing\":{ \"order\" : [] }");
    }
    if (random.nextBoolean()) {
      members.add("\"provider\":null");
    }
    int others = random.nextInt(6);
    for (int i = 0; i < others; i++) {
      members.add(unknown(random));
    }
    return members;
  }

  private static String unknown(Random random) {
    String name = RandomJson.string(random, "u_" + RandomJson.text(random, 3));
    return name + ":" + RandomJson.value(random, 3);
  }

  /** Returns the body written by hand from the same members, with plain commas as separators. */
  private static String expected(List<String> members, boolean stream) {
    List<String> kept = new ArrayList<>();
    for (String member : members) {
      if (member.startsWith("\"model\"")) {
        kept.add("\"model\" :\t" + OWN);
      } else if (!member.startsWith("\"routing\"") && !member.startsWith("\"provider\"")) {
        kept.add(member);
      }
    }
    if (stream) {
      kept.add("\"stream_options\":{\"include_usage\":true}");
    }
    return "{" + String.join(",", kept) + "}";
  }
}
