package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Events that are not whole demand more memory than there is, all at once: some streams end for
 * lack of room, the others are served, and the node lives. Their arrays once took twice what the
 * budget counted, and all of the heap.
 */
@Isolated
final class LargeEventsIT {
  private static final int STREAMS = 160;
  private static final String TEXT = "x".repeat(450 << 10);
  private static final int HALF_A_HEAP_OF_EVENTS = 128;
  private static final Binary NODE = node();

  private static Binary node() {
    String event = Sse.text(TEXT);
    int cut = event.length() - 10;
    Shared.scripted()
        .model(
            "partial",
            (_, connection) ->
                connection
                    .send(Sse.HEAD + Sse.text("small"))
                    .gate("partial")
                    .send(event.substring(0, cut))
                    .gate("rest")
                    .send(event.substring(cut) + Sse.DONE)
                    .stall());
    return Shared.beside(
        Shared.setup().model("memory/partial", "scripted", "partial"), List.of("-Xmx128m"));
  }

  @AfterAll
  static void stop() {
    NODE.close();
  }

  @Test
  void someEndForLackOfRoomAndTheOthersAreServed() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int n = 0; n < STREAMS; n++) {
        RawClient client = NODE.connect();
        clients.add(client);
        client.post(Chats.PATH, Chats.body("memory/partial", true), Shared.authorization());
        client.readUntil("small");
      }
      Shared.scripted().open("partial");
      NODE.admin()
          .await(
              now -> Admin.total(now, "tollgate_requests_total") >= STREAMS - HALF_A_HEAP_OF_EVENTS,
              "those that find no room");
      assertThat(Chats.ask(NODE, "test/chat").status()).isEqualTo(200);

      Shared.scripted().open("rest");
      int served = 0;
      for (RawClient client : clients) {
        String stream = client.readUntil("data: [DONE]\n\n");
        served += stream.contains(TEXT) ? 1 : 0;
        assertThat(stream.contains(TEXT)).isNotEqualTo(stream.contains("stream_interrupted"));
      }
      assertThat(served).isBetween(HALF_A_HEAP_OF_EVENTS * 3 / 4, HALF_A_HEAP_OF_EVENTS);
    } finally {
      clients.forEach(RawClient::close);
    }
    NODE.admin().awaitIdle();
  }
}
