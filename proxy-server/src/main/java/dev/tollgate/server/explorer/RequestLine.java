package dev.tollgate.server.explorer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Line of the request log: what the gateway wrote of one request, beyond what the request view has.
 * Members that the line lacks are null, empty or zero.
 *
 * @param param JSON path of the field that the error is about
 * @param routing the value of {@code X-LLM-Routing-Reason}
 */
public record RequestLine(
    @Nullable String param,
    @Nullable String routing,
    long costMicro,
    List<Attempt> attempts,
    List<Phase> phases,
    long requestBytes,
    long responseBytes) {
  public RequestLine {
    attempts = List.copyOf(attempts);
    phases = List.copyOf(phases);
  }

  /** Reads a line; of one that is no JSON object nothing is known. */
  static RequestLine of(String text) {
    JsonNode line = PricedRecord.tree(text);
    return new RequestLine(
        PricedRecord.text(line, "param").orElse(null),
        PricedRecord.text(line, "routing").orElse(null),
        line.path("cost_micro").asLong(),
        list(line.path("attempts"), Attempt::of),
        list(line.path("phases"), Phase::of),
        line.path("request_bytes").asLong(),
        line.path("response_bytes").asLong());
  }

  private static <T> List<T> list(JsonNode array, Function<JsonNode, T> element) {
    List<T> all = new ArrayList<>();
    array.forEach(each -> all.add(element.apply(each)));
    return all;
  }

  /**
   * Attempt at a provider, in the order in which they ended.
   *
   * @param atMs when it began, since the request came; null in lines that do not tell
   * @param resume how it continued a stream; empty if it did not
   * @param reason what more is known of a failure
   * @param dropped members of the request that the provider did not get as they were sent
   */
  public record Attempt(
      String provider,
      String outcome,
      int status,
      @Nullable Double atMs,
      double ms,
      String resume,
      String reason,
      int droppedEvents,
      int resent,
      String anomalies,
      List<String> dropped) {
    public Attempt {
      dropped = List.copyOf(dropped);
    }

    private static Attempt of(JsonNode attempt) {
      return new Attempt(
          attempt.path("provider").asText(),
          attempt.path("outcome").asText(),
          attempt.path("status").asInt(),
          attempt.has("at_ms") ? attempt.path("at_ms").asDouble() : null,
          attempt.path("ms").asDouble(),
          attempt.path("resume").asText(),
          attempt.path("reason").asText(),
          attempt.path("dropped_events").asInt(),
          attempt.path("resent").asInt(),
          attempt.path("anomalies").asText(),
          list(attempt.path("details").path("dropped"), JsonNode::asText));
    }
  }

  /** Phase of the request, and when it was entered. */
  public record Phase(String phase, double atMs) {
    private static Phase of(JsonNode phase) {
      return new Phase(phase.path("phase").asText(), phase.path("at_ms").asDouble());
    }
  }
}
