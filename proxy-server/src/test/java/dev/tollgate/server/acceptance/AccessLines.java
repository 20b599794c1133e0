package dev.tollgate.server.acceptance;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;

/** Access log of a node, one line for each request, from its standard error. */
record AccessLines(GatewayProcess node, Duration within) {
  /** Returns the next line after this many. */
  JsonNode next(int linesBefore) throws InterruptedException {
    return next(linesBefore, "");
  }

  /** Returns the next line that contains a model or a request id. */
  JsonNode next(int linesBefore, String name) throws InterruptedException {
    String line =
        node.err()
            .await(each -> each.contains("\"outcome\"") && each.contains(name), linesBefore, within)
            .orElseThrow(() -> new AssertionError("no access log: " + node.err().text()));
    return Json.tree(line.substring(line.indexOf('{')));
  }

  /** Returns the outcome of the request with this response. */
  String outcome(RawResponse response) throws InterruptedException {
    return next(0, requireNonNull(response.header("x-request-id"))).path("outcome").asText();
  }

  /**
   * Waits for the lines of all ended requests, which are written after the responses, so that no
   * test reads a line of an earlier one. Connections alternate between a node's two loops, and each
   * loop writes in order.
   */
  void awaitEarlier() throws InterruptedException {
    for (int loop = 0; loop < 2; loop++) {
      try (RawClient client = node.connect().within(within)) {
        client.send("GET /v1/lines/end HTTP/1.1\r\nHost: x\r\n\r\n");
        outcome(client.readResponse());
      }
    }
  }
}
