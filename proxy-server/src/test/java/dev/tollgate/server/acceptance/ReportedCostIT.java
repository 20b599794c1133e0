package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A provider that reports its own cost, as OpenRouter does. */
class ReportedCostIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String MODEL = "scripted/costing";
  private static final String BELOW = "tollgate_requests_below_cost_total";
  private static final String USAGE =
      "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7,\"total_tokens\":12,\"cost\":%s}";

  private final LedgerDatabase database = LedgerDatabase.of(SharedNode.node().home());

  @Test
  void aCostAboveThePriceIsRecordedAndNotCharged() throws Exception {
    double before = SharedNode.node().admin().total(BELOW);
    long price = asked(false, "0", null);
    assertThat(price).isPositive();
    assertThat(asked(false, "0.0123456", 12_346L)).isEqualTo(price);
    assertThat(asked(true, "1.23456e-02", 12_346L)).isEqualTo(price);
    assertThat(asked(true, "-1", null)).isEqualTo(price);
    assertThat(asked(false, "\"0.5\"", null)).isEqualTo(price);
    assertThat(SharedNode.node().admin().total(BELOW)).isEqualTo(before + 2);
  }

  /** Returns the charge of a request whose provider reports this cost. */
  private long asked(boolean isStream, String cost, @Nullable Long operatorCost) throws Exception {
    SharedNode.scripted()
        .model("costing", (_, to) -> to.send(isStream ? stream(cost) : whole(cost)));
    RawResponse reply;
    try (RawClient client = SharedNode.node().connect()) {
      String body = ChatRequests.body(MODEL, isStream);
      reply = client.post(ChatRequests.PATH, body, SharedNode.authorization()).readResponse();
    }
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    String id = reply.header("x-request-id");
    String where = " WHERE request_id = '" + id + "'";
    long began = System.nanoTime();
    while (database.number("SELECT count(*) FROM request_log" + where) == 0) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    }
    long[] charge = {0};
    database.query(
        "SELECT operator_cost_micro, row FROM request_log" + where,
        row -> {
          assertThat(row.getObject(1, Long.class)).isEqualTo(operatorCost);
          JsonNode line = Json.tree(row.getString(2));
          assertThat(line.path("operator_cost_micro").isIntegralNumber())
              .isEqualTo(operatorCost != null);
          assertThat(line.path("below_cost").asBoolean()).isEqualTo(operatorCost != null);
          charge[0] = line.path("cost_micro").asLong();
        });
    assertThat(database.number("SELECT cost_micro FROM settlement" + where)).isEqualTo(charge[0]);
    return charge[0];
  }

  private static String whole(String cost) {
    String body =
        """
        {"id":"c-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,\
        "message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],%s}\
        """
            .formatted(USAGE.formatted(cost));
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(body.getBytes(UTF_8).length, body);
  }

  private static String stream(String cost) {
    String last =
        """
        data: {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],%s}

        """
            .formatted(USAGE.formatted(cost));
    return Sse.HEAD
        + Sse.role()
        + Sse.text("Hi")
        + Sse.finish()
        + Sse.raw(last)
        + Sse.DONE
        + Sse.END;
  }
}
