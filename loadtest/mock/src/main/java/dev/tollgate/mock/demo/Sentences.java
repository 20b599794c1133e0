package dev.tollgate.mock.demo;

import java.util.List;
import java.util.Locale;

/** The demo model's words: says what it is, quotes the question, and adds what one may try next. */
final class Sentences {
  private static final List<String> OPENINGS =
      List.of(
          "This is the demo provider of Tollgate, not a model.",
          "You have reached Tollgate's demo provider; there is no model behind it.",
          "Tollgate's demo provider answers this, without any model.");

  private static final List<String> REMARKS =
      List.of(
          "The gateway treats this answer like one of a real model: it is limited, routed, counted"
              + " and charged.",
          "The usage of a reply says how many tokens were counted and what they cost.",
          "Equal requests get equal answers here, so tests can rely on them.",
          "Ask for a JSON schema, and the answer is an instance of it.",
          "Offer a tool and mention it in the question, and the demo calls it.",
          "With a small max_tokens this answer ends early, and its finish_reason is length.",
          "Streamed or plain, the same request has the same words.",
          "To hear a real model, add its provider to the configuration; address and key stay as they"
              + " are.",
          "Every request appears in the dashboard within seconds, with its attempts and its cost.");

  private static final int REMARKS_EACH = 3;

  private Sentences() {}

  /** Returns some sentences about a question; equal questions get equal ones. */
  static String about(Question question) {
    String result = question.toolResult();
    int hash = 31 * question.text().hashCode() + (result == null ? 0 : result.hashCode());
    int seed = hash & Integer.MAX_VALUE;
    StringBuilder text = new StringBuilder(OPENINGS.get(seed % OPENINGS.size()));
    text.append(quote(question));
    int first = seed / OPENINGS.size();
    // A step of two visits different remarks, as their number is odd.
    for (int n = 0; n < REMARKS_EACH; n++) {
      text.append(' ').append(REMARKS.get((first + 2 * n) % REMARKS.size()));
    }
    return text.toString();
  }

  /** Returns the transcript of a recording, to which the demo does not listen. */
  static String aboutRecording(double seconds) {
    return String.format(
        Locale.ROOT,
        "This is the demo provider of Tollgate. It received %.1f seconds of sound and does not"
            + " listen: a transcript of what was said needs a real model.",
        seconds);
  }

  private static String quote(Question question) {
    String result = question.toolResult();
    if (result != null) {
      return " The tool's result ends with “" + Question.end(result) + "”.";
    }
    return question.lastWords().isEmpty()
        ? " The request has no text to quote."
        : " Your text ends with “" + question.lastWords() + "”.";
  }
}
