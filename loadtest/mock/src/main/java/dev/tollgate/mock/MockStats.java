package dev.tollgate.mock;

import java.util.List;

/**
 * Counts of the mock provider's requests, replies and connections since its start or last reset.
 *
 * @param requests generations requested, with any outcome
 * @param completed replies sent to their intended end
 * @param inFlight replies in progress
 * @param connections connections open now
 * @param accepted connections ever accepted
 * @param disconnects clients that disconnected before the end of their reply, by FIN or RST
 * @param promptTokens tokens of the prompts answered
 * @param completionTokens tokens sent, including those of broken replies
 * @param lastDisconnects the latest disconnects, oldest first
 */
public record MockStats(
    long requests,
    long completed,
    long inFlight,
    long connections,
    long accepted,
    long disconnects,
    long promptTokens,
    long completionTokens,
    List<Disconnect> lastDisconnects) {

  public MockStats {
    lastDisconnects = List.copyOf(lastDisconnects);
  }

  /** Returns the counts as JSON; times of disconnects are relative to {@code nowNanos}. */
  String json(long nowNanos) {
    StringBuilder last = new StringBuilder();
    for (Disconnect each : lastDisconnects) {
      last.append(last.isEmpty() ? "" : ",")
          .append(
              "{\"how\":\"%s\",\"model\":\"%s\",\"ago_ms\":%d,\"tokens\":%d}"
                  .formatted(
                      each.how(),
                      each.model(),
                      (nowNanos - each.atNanos()) / 1_000_000,
                      each.tokens()));
    }
    return """
        {"requests":%d,"completed":%d,"in_flight":%d,"connections":%d,"accepted":%d,\
        "disconnects":%d,"prompt_tokens":%d,"completion_tokens":%d,"last_disconnects":[%s]}
        """
        .formatted(
            requests,
            completed,
            inFlight,
            connections,
            accepted,
            disconnects,
            promptTokens,
            completionTokens,
            last);
  }
}
