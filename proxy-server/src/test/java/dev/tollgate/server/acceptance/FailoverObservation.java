package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.acceptance.FailoverProvider.Asked;
import java.time.Duration;
import java.util.List;

/**
 * One scenario as the client and the provider saw it.
 *
 * @param atPrimary requests for the requested model
 * @param atFallback requests for the fallback model
 */
record FailoverObservation(
    ReceivedReply reply, List<Asked> atPrimary, List<Asked> atFallback, FailoverClocks clocks) {

  boolean isWithin(Duration most) {
    return reply.took().compareTo(most) <= 0;
  }

  /** Returns the time between the first two requests; zero if there was one. */
  Duration firstGap() {
    return atPrimary.size() < 2
        ? Duration.ZERO
        : Duration.ofNanos(atPrimary.get(1).atNanos() - atPrimary.get(0).atNanos());
  }

  long atPrimaryWithin(Duration window) {
    return atPrimary.stream()
        .filter(each -> each.atNanos() - atPrimary.getFirst().atNanos() < window.toNanos())
        .count();
  }

  /**
   * A reply as parsed by a strict client.
   *
   * @param text all content, also of a stream that failed
   * @param error code of an error, in the stream or not; empty if there is none
   * @param model the last model named in the reply
   * @param reason the header with the provider that served
   */
  record ReceivedReply(
      String requestId,
      int status,
      String text,
      String error,
      String model,
      JsonNode usage,
      String reason,
      Duration took) {

    /** Sends a request and reads to the end; a client that waits longer than {@code most} fails. */
    static ReceivedReply ask(GatewayProcess node, String body, Duration most) {
      long began = System.nanoTime();
      try (RawClient client = node.connect().within(most)) {
        RawResponse reply =
            client.post(ChatRequests.PATH, body, SharedNode.authorization()).readResponse();
        return of(reply, Duration.ofNanos(System.nanoTime() - began));
      }
    }

    private static ReceivedReply of(RawResponse reply, Duration took) {
      StringBuilder text = new StringBuilder();
      String error = reply.status() == 200 ? "" : ChatRequests.code(reply);
      String model = "";
      JsonNode usage = Json.tree("null");
      boolean done = false;
      for (String event : reply.status() == 200 ? reply.events() : List.<String>of()) {
        if (!event.startsWith("data: ")) {
          continue;
        }
        String data = event.substring("data: ".length());
        if (data.equals("[DONE]")) {
          done = true;
          break;
        }
        JsonNode chunk = Json.tree(data);
        error = chunk.path("error").path("code").asText(error);
        model = chunk.path("model").asText(model);
        usage = chunk.path("usage").isObject() ? chunk.path("usage") : usage;
        text.append(chunk.path("choices").path(0).path("delta").path("content").asText(""));
      }
      boolean cut = reply.status() == 200 && !done;
      return new ReceivedReply(
          String.valueOf(reply.header("x-request-id")),
          reply.status(),
          text.toString(),
          cut ? "no [DONE]" : error,
          model,
          usage,
          String.valueOf(reply.header("x-llm-routing-reason")),
          took);
    }

    /** True for the canonical reply without an error. */
    boolean isWholeAnswer() {
      return error.isEmpty() && text.equals(FailoverProvider.ANSWER);
    }

    boolean hasUsage() {
      return usage.path("total_tokens").asLong() > 0;
    }

    long costMicro() {
      return usage.path("x_llm_cost_micro").asLong(-1);
    }
  }
}
