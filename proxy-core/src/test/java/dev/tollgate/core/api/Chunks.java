package dev.tollgate.core.api;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Short notation of provider chunks and streams. */
public final class Chunks {
  public static final String DONE = "[DONE]";
  public static final String USAGE =
      "\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2,\"total_tokens\":6}";
  public static final String LAST = root("[]," + USAGE);

  private Chunks() {}

  /** Returns a stream of events with this data each. */
  public static String stream(String... data) {
    return Stream.of(data).map(one -> "data: " + one + "\n\n").collect(Collectors.joining());
  }

  /** Returns a chunk with these choices, and perhaps more members after them. */
  public static String root(String choicesAndMore) {
    return "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
        + "\"model\":\"m1-2026\",\"choices\":"
        + choicesAndMore
        + "}";
  }

  /** Returns a chunk with one unfinished choice with this delta. */
  public static String delta(String members) {
    return root("[{\"index\":0,\"delta\":{" + members + "},\"finish_reason\":null}]");
  }

  public static String role() {
    return delta("\"role\":\"assistant\",\"content\":\"\"");
  }

  public static String text(String text) {
    return delta("\"content\":\"" + text + "\"");
  }

  public static String finish(String reason) {
    return root("[{\"index\":0,\"delta\":{},\"finish_reason\":\"" + reason + "\"}]");
  }

  public static String calls(String fragments) {
    return delta("\"tool_calls\":[" + fragments + "]");
  }
}
