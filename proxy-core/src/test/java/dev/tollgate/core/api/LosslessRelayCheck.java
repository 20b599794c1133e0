package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Comparison of a provider's reply with the client's, as trees: every member of every level is
 * there, except for the few in docs/decisions/streaming.md#chunks.
 */
public final class LosslessRelayCheck {
  private static final Set<String> OURS =
      Set.of(
          "id", "object", "created", "model", "provider", "usage", "obfuscation", "p", "choices");

  private LosslessRelayCheck() {}

  /** Checks a stream: each chunk that must be forwarded was, in order. */
  static void inStream(List<JsonNode> sent, List<JsonNode> got) {
    int at = 0;
    boolean finished = false;
    for (JsonNode chunk : sent) {
      JsonNode choice = ours(chunk);
      if (choice.isMissingNode() || (finished && isOnlyUsage(chunk, choice))) {
        continue;
      }
      finished |=
          !choice.path("finish_reason").asText("").isEmpty()
              && choice.path("finish_reason").isTextual();
      if (isOwnRole(got.get(at)) && !kept(chunk, got.get(at)).isEmpty()) {
        at++;
      }
      assertThat(kept(chunk, got.get(at))).as("%s became %s", chunk, got.get(at)).isEmpty();
      at++;
    }
  }

  private static JsonNode ours(JsonNode chunk) {
    for (JsonNode choice : chunk.path("choices")) {
      if (choice.path("index").asInt(0) == 0) {
        return choice;
      }
    }
    return chunk.path("nothing");
  }

  private static boolean isOnlyUsage(JsonNode chunk, JsonNode choice) {
    return chunk.path("usage").isObject()
        && choice.path("delta").path("content").asText("").isEmpty();
  }

  private static boolean isOwnRole(JsonNode chunk) {
    JsonNode delta = chunk.path("choices").path(0).path("delta");
    return chunk.size() == 6 && delta.size() == 2 && delta.path("content").asText("-").isEmpty();
  }

  /** Returns missing or different members as text; empty if there are none. */
  public static List<String> kept(JsonNode sent, JsonNode got) {
    List<String> lost = new ArrayList<>();
    sent.properties()
        .forEach(
            member -> {
              String name = member.getKey();
              boolean dropped = name.startsWith("x_llm_") || name.equals("error");
              if (!OURS.contains(name) && !dropped && !member.getValue().equals(got.get(name))) {
                lost.add(name);
              }
            });
    choice(ours(sent), got.path("choices").path(0), lost);
    return lost;
  }

  private static void choice(JsonNode sent, JsonNode got, List<String> lost) {
    sent.properties()
        .forEach(
            member -> {
              String name = member.getKey();
              switch (name) {
                case "finish_reason", "index" -> {}
                case "delta", "message" ->
                    delta(member.getValue(), got.path(name), name + ".", lost);
                default -> same(member.getValue(), got.get(name), name, lost);
              }
            });
  }

  private static void delta(JsonNode sent, JsonNode got, String path, List<String> lost) {
    sent.properties()
        .forEach(
            member -> {
              String name = member.getKey();
              JsonNode value = member.getValue();
              boolean emptied = name.equals("content") && value.isNull();
              if (name.equals("tool_calls") && value.isArray()) {
                calls(value, got.path(name), lost);
              } else if (!emptied) {
                same(value, got.get(name), path + name, lost);
              }
            });
  }

  private static void calls(JsonNode sent, JsonNode got, List<String> lost) {
    for (int i = 0; i < sent.size(); i++) {
      JsonNode call = got.path(i);
      int k = i;
      sent.get(i)
          .properties()
          .forEach(
              member -> {
                boolean repaired =
                    Set.of("index", "type", "id").contains(member.getKey())
                        && (member.getValue().isNull() || member.getValue().asText().isEmpty());
                if (!repaired) {
                  same(member.getValue(), call.get(member.getKey()), "call " + k, lost);
                }
              });
    }
  }

  private static void same(JsonNode sent, JsonNode got, String name, List<String> lost) {
    if (!sent.equals(got == null ? NullNode.getInstance() : got) || got == null) {
      lost.add(name);
    }
  }
}
