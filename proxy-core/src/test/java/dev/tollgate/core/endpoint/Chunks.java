package dev.tollgate.core.endpoint;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Provider chunks and streams in as few words as a test can say them. */
final class Chunks {
  static final String DONE = "[DONE]";
  static final String USAGE =
      "\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2,\"total_tokens\":6}";
  static final String LAST = root("[]," + USAGE);

  private Chunks() {}

  /** A stream of events with this data each. */
  static String stream(String... data) {
    return Stream.of(data).map(one -> "data: " + one + "\n\n").collect(Collectors.joining());
  }

  /** A chunk with these choices, and perhaps more members behind them. */
  static String root(String choicesAndMore) {
    return "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
        + "\"model\":\"m1-2026\",\"choices\":"
        + choicesAndMore
        + "}";
  }

  /** A chunk with one choice of this delta that does not finish. */
  static String delta(String members) {
    return root("[{\"index\":0,\"delta\":{" + members + "},\"finish_reason\":null}]");
  }

  static String role() {
    return delta("\"role\":\"assistant\",\"content\":\"\"");
  }

  static String text(String text) {
    return delta("\"content\":\"" + text + "\"");
  }

  static String finish(String reason) {
    return root("[{\"index\":0,\"delta\":{},\"finish_reason\":\"" + reason + "\"}]");
  }

  static String calls(String fragments) {
    return delta("\"tool_calls\":[" + fragments + "]");
  }
}
