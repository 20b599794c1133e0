package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Heap allocations of the gateway for a plain request and for an event that arrives alone, with all
 * features enabled. Only event loops are measured, because other threads also allocate without
 * requests. The process runs without escape analysis, so that the bytes are those of the code; a
 * warm node allocates less.
 */
@Isolated
class AllocationIT {
  private static final int REQUESTS = 1_500;
  private static final int EVENTS = 1_500;
  private static final int REQUEST_BYTES_MAX = 19 * 1024;
  private static final int EVENT_BYTES_MAX = 600;
  private static final int SCRAPES = 20;
  private static final int SCRAPE_BYTES_MAX = 1 << 20;
  private static final SynchronousQueue<String> NEXT = new SynchronousQueue<>();

  private static GatewayProcess node;

  @BeforeAll
  static void start() {
    SharedNode.scripted()
        .model("allocation-plain", (_, to) -> to.send(Sse.completion("word ".repeat(100))))
        .model("allocation-stream", (_, to) -> stream(to));
    ConfigBuilder setup =
        SharedNode.setup()
            .model("acme/plain", "scripted", "allocation-plain")
            .model("acme/stream", "scripted", "allocation-stream");
    node = SharedNode.beside(setup, List.of("-XX:+UseSerialGC"));
  }

  private static void stream(ScriptedConnection to) throws InterruptedException {
    to.send(Sse.HEAD + Sse.role());
    for (String text = NEXT.take(); !text.isEmpty(); text = NEXT.take()) {
      to.send(Sse.text(text));
    }
    to.send(Sse.finish() + Sse.usage(5, 7) + Sse.DONE + Sse.END);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void aPlainRequestAllocatesWithinItsBound() throws Exception {
    ask(100); // one-time allocations
    long before = allocated("loop");
    ask(REQUESTS);
    long each = (allocated("loop") - before) / REQUESTS;

    RecordedFigures.keep("allocation-plain", each + " bytes of heap for a plain request");
    assertThat(each).isLessThan(REQUEST_BYTES_MAX);
  }

  private static void ask(int requests) {
    try (RawClient client = node.connect()) {
      for (int i = 0; i < requests; i++) {
        client.post(
            ChatRequests.PATH, ChatRequests.body("acme/plain", false), SharedNode.authorization());
        assertThat(client.readResponse().status()).isEqualTo(200);
      }
    }
  }

  @Test
  void anEventAllocatesWithinItsBound() throws Exception {
    try (RawClient client = node.connect()) {
      client.post(
          ChatRequests.PATH, ChatRequests.body("acme/stream", true), SharedNode.authorization());
      read(client, 0, 100);
      long before = allocated("loop");
      read(client, 100, EVENTS);
      long each = (allocated("loop") - before) / EVENTS;
      NEXT.put("");
      client.readUntil("[DONE]");

      RecordedFigures.keep("allocation-event", each + " bytes of heap for an event");
      assertThat(each).isLessThan(EVENT_BYTES_MAX);
    }
  }

  @Test
  void aScrapeAllocatesWithinItsBound() throws Exception {
    long before = allocated("other");
    for (int i = 0; i < SCRAPES; i++) {
      node.admin().metrics();
    }
    long each = (allocated("other") - before) / SCRAPES;

    RecordedFigures.keep("allocation-scrape", each + " bytes of heap for a scrape of the metrics");
    assertThat(each).isLessThan(SCRAPE_BYTES_MAX);
  }

  private static void read(RawClient client, int from, int events) throws InterruptedException {
    for (int i = from; i < from + events; i++) {
      NEXT.put("word" + i);
      client.readUntil("word" + i);
    }
  }

  private static long allocated(String threads) {
    return (long)
        node.admin().total("tollgate_allocated_bytes_total{thread=\"%s\"}".formatted(threads));
  }
}
