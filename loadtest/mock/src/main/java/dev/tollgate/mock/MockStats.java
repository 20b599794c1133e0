package dev.tollgate.mock;

import java.util.List;

/**
 * What the mock provider has seen since it started or was reset.
 *
 * @param requests generations asked for, in any outcome
 * @param completed replies sent to the end that was meant for them
 * @param inFlight replies not yet at their end
 * @param connections connections open now
 * @param accepted connections ever accepted
 * @param disconnects clients that left before the end, by FIN and by RST together
 * @param promptTokens tokens of the prompts answered
 * @param completionTokens tokens that were sent, of broken replies too
 * @param lastDisconnects the latest of the disconnects, oldest first
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

  /** The same as JSON; disconnects with how long ago they were at {@code nowNanos}. */
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
