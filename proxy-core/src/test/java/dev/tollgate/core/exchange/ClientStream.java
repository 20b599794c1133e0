package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.testkit.RecordedClient;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What an SDK makes of a stream's events: the texts appended, the identity, the end. */
public final class ClientStream {
  public final StringBuilder content = new StringBuilder();
  final StringBuilder reasoning = new StringBuilder();
  public final Set<String> ids = new HashSet<>();
  final List<String> finishes = new ArrayList<>();
  public final List<String> usages = new ArrayList<>();
  int roles;
  boolean done;

  public static ClientStream of(RecordedClient client) {
    var stream = new ClientStream();
    Stream.of(client.text().split("\n\n"))
        .filter(event -> event.startsWith("data: "))
        .forEach(event -> stream.event(event.substring("data: ".length())));
    return stream;
  }

  private void event(String data) {
    if (done) {
      throw new AssertionError("an event behind the end: " + data);
    }
    if (data.equals("[DONE]")) {
      done = true;
      return;
    }
    JsonMembers chunk = parse(data);
    ids.add(chunk.string(chunk.indexOf("id")));
    int usage = chunk.indexOf("usage");
    if (usage >= 0) {
      usages.add(chunk.text(usage));
    }
    JsonElements choices = chunk.array(chunk.indexOf("choices"));
    for (int k = 0; k < choices.size(); k++) {
      choice(choices.object(k));
    }
  }

  private void choice(JsonMembers choice) {
    int finish = choice.indexOf("finish_reason");
    if (choice.kind(finish) == JsonKind.STRING) {
      finishes.add(choice.string(finish));
    }
    JsonMembers delta = choice.object(choice.indexOf("delta"));
    roles += delta.count("role");
    append(delta, "content", content);
    append(delta, "reasoning_content", reasoning);
  }

  private static void append(JsonMembers delta, String name, StringBuilder to) {
    int i = delta.indexOf(name);
    if (i >= 0 && delta.kind(i) == JsonKind.STRING) {
      to.append(delta.string(i));
    }
  }

  static JsonMembers parse(String json) {
    byte[] bytes = json.getBytes(UTF_8);
    try {
      return JsonMembers.of(bytes, 0, bytes.length);
    } catch (InvalidJson e) {
      throw new AssertionError(json, e);
    }
  }
}
