package dev.tollgate.loadtest;

import java.util.List;

/** Checks of a received event stream. */
final class StreamBody {
  static final String WHOLE = "whole";

  private static final String DATA = "data: ";

  private StreamBody() {}

  /**
   * Returns the first defect of a stream that should have this number of tokens, {@link #WHOLE} if
   * there is none.
   */
  static String verdict(String body, int tokens) {
    List<String> events =
        body.lines()
            .filter(line -> line.startsWith(DATA))
            .map(line -> line.substring(DATA.length()))
            .toList();
    if (events.size() < 2 || !events.getLast().equals("[DONE]")) {
      return "no [DONE] at its end, after " + events.size() + " events";
    }
    if (events.stream().anyMatch(event -> event.startsWith("{\"error\""))) {
      return "an error within";
    }
    long contents = count(events, "\"delta\":{\"content\":");
    if (contents != tokens) {
      return contents + " tokens, not " + tokens;
    }
    if (count(events, "\"finish_reason\":\"stop\"") != 1) {
      return "not finished once";
    }
    String usage = events.get(events.size() - 2);
    return usage.contains("\"completion_tokens\":" + tokens) && usage.contains("x_llm_cost_micro")
        ? WHOLE
        : "no usage before [DONE]";
  }

  /** Returns the verdict of a complete stream; any other is thrown, so that the report shows it. */
  static String orFail(String verdict) {
    if (!verdict.equals(WHOLE)) {
      throw new IllegalArgumentException(verdict);
    }
    return verdict;
  }

  private static long count(List<String> events, String text) {
    return events.stream().filter(event -> event.contains(text)).count();
  }
}
