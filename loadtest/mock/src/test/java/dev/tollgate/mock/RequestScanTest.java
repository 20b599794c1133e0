package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.mock.MockRequest.Operation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Members are found as a JSON parser finds them, among any other members. */
class RequestScanTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MARKS = "\"\\{}[]:, \n\u00e9\u65e5xyz\"model\":";

  @Test
  void findsTheMembersAmongAnyOthers() {
    Seeds.forEach(
        random -> {
          boolean stream = random.nextBoolean();
          boolean usage = random.nextBoolean();
          int tokens = random.nextInt(100_000);
          ObjectNode wanted = JSON.createObjectNode();
          wanted.put("model", "a/b-" + tokens).put("stream", stream).put("max_tokens", tokens);
          wanted.putObject("stream_options").put("x", "}").put("include_usage", usage);
          byte[] body = write(mixed(wanted, random), random);
          MockRequest request = scan(body);
          assertThat(request.model()).isEqualTo("a/b-" + tokens);
          assertThat(request.stream()).isEqualTo(stream);
          assertThat(request.includeUsage()).isEqualTo(usage);
          assertThat(request.tokensMax()).isEqualTo(tokens);
          assertThat(request.promptTokens()).isEqualTo((body.length + 3) / 4);
        });
  }

  @Test
  void aNamedToolChoiceWins() {
    String tools = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"first\"}}]";
    String choice = "\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"named\"}}";
    for (String body : List.of(tools + "," + choice, choice + "," + tools)) {
      assertThat(scan(body).calledTool()).isEqualTo("named");
    }
    assertThat(scan(tools + ",\"tool_choice\":\"required\"").calledTool()).isEqualTo("first");
    assertThat(scan(tools + ",\"tool_choice\":\"auto\"").calledTool()).isNull();
    assertThat(scan("\"tool_choice\":\"required\"").calledTool()).isEqualTo("lookup");
  }

  @Test
  void invalidJsonHasNoModel() {
    for (String body : List.of("", "[]", "{", "{\"model\"", "{\"model\":", "{\"model\":7}", "x")) {
      byte[] bytes = body.getBytes(UTF_8);
      assertThat(RequestScan.scan(Operation.CHAT, bytes, bytes.length, "", true)).as(body).isNull();
    }
  }

  @Test
  void theModelMayDelegateToTheRequest() {
    String body = "{\"model\":\"%s\",\"x_mock\":\"fault/stall:20\"}";
    assertThat(scan(body.formatted("asked").getBytes(UTF_8)).model()).isEqualTo("fault/stall:20");
    assertThat(scan(body.formatted("a/asked").getBytes(UTF_8)).model()).isEqualTo("fault/stall:20");
    assertThat(scan(body.formatted("other").getBytes(UTF_8)).model()).isEqualTo("other");
    assertThat(scan("{\"model\":\"asked\"}".getBytes(UTF_8)).model()).isEqualTo("asked");
  }

  private static MockRequest scan(String members) {
    return scan(("{\"model\":\"m\"," + members + "}").getBytes(UTF_8));
  }

  private static MockRequest scan(byte[] body) {
    return Objects.requireNonNull(RequestScan.scan(Operation.CHAT, body, body.length, "", true));
  }

  /** Returns the wanted members in random order among members that contain nested decoys. */
  private static ObjectNode mixed(ObjectNode wanted, Random random) {
    List<String> names = new ArrayList<>();
    wanted.fieldNames().forEachRemaining(names::add);
    ObjectNode decoy = JSON.createObjectNode().put("model", "decoy").put("stream", "maybe");
    for (int i = random.nextInt(6); i > 0; i--) {
      ArrayNode list = wanted.putArray("other" + i);
      for (int n = random.nextInt(5); n > 0; n--) {
        list.add(text(random)).add(decoy).add(random.nextDouble()).addNull();
      }
      names.add("other" + i);
    }
    Collections.shuffle(names, random);
    ObjectNode mixed = JSON.createObjectNode();
    names.forEach(name -> mixed.set(name, wanted.get(name)));
    return mixed;
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(40); i > 0; i--) {
      text.append(MARKS.charAt(random.nextInt(MARKS.length())));
    }
    return text.toString();
  }

  private static byte[] write(ObjectNode body, Random random) throws Exception {
    return random.nextBoolean()
        ? JSON.writeValueAsBytes(body)
        : JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(body);
  }
}
