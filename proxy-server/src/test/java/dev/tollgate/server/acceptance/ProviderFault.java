package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.acceptance.ScriptedTurn.Play;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * Fault of a provider over raw sockets, with what its client must see.
 *
 * @param settings of the first provider, beside its address and key
 * @param first behaviour of the first provider
 * @param second behaviour of the second one, if there is one
 * @param fields members of the request behind its model and messages
 * @param asks requests on one connection; the last one is judged
 * @param neverSent attempts that ended before the request was sent
 * @param attempts of the last request, as the log has them
 */
record ProviderFault(
    String row,
    String what,
    Map<String, ?> settings,
    Play first,
    Optional<Play> second,
    String fields,
    int asks,
    int neverSent,
    Expected expected,
    List<String> attempts,
    Predicate<Seen> more) {

  /** What the client of the last request gets. */
  sealed interface Expected {
    /** This text with its finish, exactly as the provider sent it. */
    record Whole(String text) implements Expected {}

    /** A stream that says that it broke off. */
    record Broken(String code) implements Expected {}

    record Refused(int status, String code) implements Expected {}
  }

  /**
   * One reply as a strict client reads it.
   *
   * @param text content and arguments of tool calls
   * @param finish the last finish reason; empty if none came
   * @param error the code of an error, in the stream or instead of it
   * @param surplus events behind the first {@code [DONE]}
   */
  record Seen(
      RawResponse reply,
      String text,
      String finish,
      String error,
      int surplus,
      Duration took,
      JsonNode log,
      List<String> credentials) {

    static Seen of(RawResponse reply, Duration took) {
      List<String> credentials = List.of();
      JsonNode none = Json.tree("null");
      if (!String.valueOf(reply.header("content-type")).startsWith("text/event-stream")) {
        JsonNode body = Json.tree(reply.text());
        JsonNode choice = body.path("choices").path(0);
        return new Seen(
            reply,
            choice.path("message").path("content").asText(),
            choice.path("finish_reason").asText(),
            body.path("error").path("code").asText(),
            0,
            took,
            none,
            credentials);
      }
      StringBuilder text = new StringBuilder();
      String finish = "";
      String error = "";
      int done = 0;
      int surplus = 0;
      for (String event : reply.events()) {
        String data = event.substring(event.indexOf(' ') + 1);
        surplus += done;
        if (event.startsWith(":")) {
          continue;
        }
        if (data.equals("[DONE]")) {
          done = 1;
          continue;
        }
        JsonNode chunk = Json.tree(data);
        error = chunk.path("error").path("code").asText(error);
        JsonNode choice = chunk.path("choices").path(0);
        text.append(choice.path("delta").path("content").asText(""));
        for (JsonNode call : choice.path("delta").path("tool_calls")) {
          text.append(call.path("function").path("arguments").asText());
        }
        finish =
            choice.path("finish_reason").isTextual()
                ? choice.path("finish_reason").asText()
                : finish;
      }
      String last = done == 0 ? "no [DONE]" : error;
      return new Seen(reply, text.toString(), finish, last, surplus, took, none, credentials);
    }

    Seen logged(JsonNode row) {
      return new Seen(reply, text, finish, error, surplus, took, row, credentials);
    }

    Seen by(List<String> used) {
      return new Seen(reply, text, finish, error, surplus, took, log, used);
    }

    String requestId() {
      return String.valueOf(reply.header("x-request-id"));
    }

    /** Returns the attempts of the log: provider, outcome, how it continued, resends. */
    List<String> attempts() {
      return StreamSupport.stream(log.path("attempts").spliterator(), false)
          .map(Seen::attempt)
          .toList();
    }

    private static String attempt(JsonNode one) {
      String provider = one.path("provider").asText().endsWith("-first") ? "first " : "second ";
      String resume = one.has("resume") ? " by " + one.path("resume").asText() : "";
      String resent = one.has("resent") ? " resent " + one.path("resent").asInt() : "";
      return provider + one.path("outcome").asText() + resume + resent;
    }

    /** Returns how often the log says that a provider was sent the request. */
    int sends() {
      return StreamSupport.stream(log.path("attempts").spliterator(), false)
          .mapToInt(one -> 1 + one.path("resent").asInt())
          .sum();
    }

    boolean tookAtLeast(long millis) {
      return took.toMillis() >= millis;
    }

    boolean tookLess(long millis) {
      return took.toMillis() < millis;
    }

    int retryAfter() {
      return Integer.parseInt(String.valueOf(reply.header("retry-after")));
    }

    long used(String credential) {
      return credentials.stream().filter(each -> each.endsWith(" " + credential)).count();
    }
  }

  static ProviderFault of(String row, String what, Play first) {
    return new ProviderFault(
        row,
        what,
        Map.of(),
        first,
        Optional.empty(),
        "",
        1,
        0,
        new Expected.Whole(ScriptedTurn.ANSWER),
        List.of("first ok"),
        _ -> true);
  }

  /** A second provider has the whole answer. */
  ProviderFault elsewhere() {
    return elsewhere(ScriptedTurn::whole);
  }

  ProviderFault elsewhere(Play play) {
    return new ProviderFault(
        row,
        what,
        settings,
        first,
        Optional.of(play),
        fields,
        asks,
        neverSent,
        expected,
        attempts,
        more);
  }

  ProviderFault resumed() {
    return with("\"routing\":{\"resume\":\"auto\"}");
  }

  ProviderFault with(String field) {
    return new ProviderFault(
        row,
        what,
        settings,
        first,
        second,
        fields + "," + field,
        asks,
        neverSent,
        expected,
        attempts,
        more);
  }

  ProviderFault set(String key, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(settings);
    all.put(key, value);
    return new ProviderFault(
        row, what, all, first, second, fields, asks, neverSent, expected, attempts, more);
  }

  /** A short timeout; the others are the defaults. */
  ProviderFault timeout(String name, String value) {
    return set("timeouts", Map.of(name, value));
  }

  ProviderFault asked(int times) {
    return new ProviderFault(
        row, what, settings, first, second, fields, times, neverSent, expected, attempts, more);
  }

  ProviderFault neverSent(int count) {
    return new ProviderFault(
        row, what, settings, first, second, fields, asks, count, expected, attempts, more);
  }

  ProviderFault says(String text) {
    return ends(new Expected.Whole(text));
  }

  ProviderFault breaks(String code) {
    return ends(new Expected.Broken(code));
  }

  ProviderFault refused(int status, String code) {
    return ends(new Expected.Refused(status, code));
  }

  private ProviderFault ends(Expected end) {
    return new ProviderFault(
        row, what, settings, first, second, fields, asks, neverSent, end, attempts, more);
  }

  ProviderFault by(String... logged) {
    return new ProviderFault(
        row,
        what,
        settings,
        first,
        second,
        fields,
        asks,
        neverSent,
        expected,
        List.of(logged),
        more);
  }

  ProviderFault and(Predicate<Seen> check) {
    return new ProviderFault(
        row, what, settings, first, second, fields, asks, neverSent, expected, attempts, check);
  }

  /** True unless the request says that it is plain. */
  boolean isStream() {
    return !fields.contains("\"stream\":false");
  }

  @Override
  public String toString() {
    return row + " " + what;
  }
}
