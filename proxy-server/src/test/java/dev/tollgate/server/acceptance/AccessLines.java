package dev.tollgate.server.acceptance;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;

/** A node's access log, one line for each request, as its standard error shows it. */
record AccessLines(GatewayProcess node, Duration within) {
  /** The next line behind so many. */
  JsonNode next(int linesBefore) throws InterruptedException {
    return next(linesBefore, "");
  }

  /** The next one that names a model or a request. */
  JsonNode next(int linesBefore, String name) throws InterruptedException {
    String line =
        node.err()
            .await(each -> each.contains("\"outcome\"") && each.contains(name), linesBefore, within)
            .orElseThrow(() -> new AssertionError("no access log: " + node.err().text()));
    return Json.tree(line.substring(line.indexOf('{')));
  }

  /** How the request with this answer ended. */
  String outcome(RawResponse response) throws InterruptedException {
    return next(0, requireNonNull(response.header("x-request-id"))).path("outcome").asText();
  }

  /**
   * Waits for the lines of all requests that have ended: they are written behind the answers, and
   * nobody may take an earlier one for its own. Connections go to a node's two loops in turn, and
   * each writes in order.
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
