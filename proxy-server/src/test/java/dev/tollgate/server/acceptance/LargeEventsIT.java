package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Large events, and then images in base64, demand more memory than the node has, all at once: some
 * requests are refused for lack of memory, the others are served, and the node survives. Their
 * arrays once took twice the counted bytes, and all of the heap.
 */
@Isolated
final class LargeEventsIT {
  private static final int STREAMS = 160;
  private static final String TEXT = "x".repeat(450 << 10);
  private static final int HALF_A_HEAP_OF_EVENTS = 128;
  private static final int HEAP_MIB = 128;

  /** The soak profile has four times the heap, and images four times as large. */
  private static final int IMAGES_HEAP_MIB = Integer.getInteger("tollgate.images.heap", HEAP_MIB);

  private static final int IMAGE_BYTES = (IMAGES_HEAP_MIB / 64) << 20;
  private static final int IMAGES = 100;
  private static final UnresponsiveProvider IMAGE_PROVIDER = imageProvider();
  private static final GatewayProcess NODE = node(HEAP_MIB);

  private static UnresponsiveProvider imageProvider() {
    try {
      return new UnresponsiveProvider();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static GatewayProcess node(int heapMib) {
    String event = Sse.text(TEXT);
    int cut = event.length() - 10;
    SharedNode.scripted()
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
    return SharedNode.beside(
        SharedNode.setup()
            .model("memory/partial", "scripted", "partial")
            .openAi("swallowing", IMAGE_PROVIDER.baseUrl(), "no-key")
            .image("memory/image", new ConfigBuilder.Route("swallowing", "image")),
        List.of("-Xmx" + heapMib + "m"));
  }

  @AfterAll
  static void stop() throws IOException {
    NODE.close();
    IMAGE_PROVIDER.close();
  }

  @Test
  void someAreRefusedForMemoryAndTheOthersAreServed() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    double before = NODE.admin().total("tollgate_requests_total");
    try {
      for (int n = 0; n < STREAMS; n++) {
        RawClient client = NODE.connect();
        clients.add(client);
        client.post(
            ChatRequests.PATH,
            ChatRequests.body("memory/partial", true),
            SharedNode.authorization());
        client.readUntil("small");
      }
      SharedNode.scripted().open("partial");
      NODE.admin()
          .await(
              now ->
                  Admin.total(now, "tollgate_requests_total") - before
                      >= STREAMS - HALF_A_HEAP_OF_EVENTS,
              "those that find no room");
      assertThat(ChatRequests.ask(NODE, "test/chat").status()).isEqualTo(200);

      SharedNode.scripted().open("rest");
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

  @Test
  void imagesAreServedOrRefusedForMemoryAndLeaveNothingBehind() throws Exception {
    boolean isOwn = IMAGES_HEAP_MIB != HEAP_MIB;
    GatewayProcess node = isOwn ? node(IMAGES_HEAP_MIB) : NODE;
    try {
      send(node, 10);
      long before = node.liveHeapBytes();
      int served = send(node, IMAGES);
      long after = node.liveHeapBytes();
      assertThat(served).isGreaterThanOrEqualTo(8);
      assertThat(after - before).as("of " + served + " images").isLessThan(IMAGE_BYTES / 2);
      assertThat(node.isRunning()).isTrue();
    } finally {
      if (isOwn) {
        node.close();
      }
    }
  }

  /**
   * Sends this many requests at once, which their provider holds before it answers; returns how
   * many it received.
   */
  private static int send(GatewayProcess node, int images) throws Exception {
    byte[] body = imageBody();
    IMAGE_PROVIDER.hold();
    var refused = new AtomicInteger();
    List<Future<RawResponse>> asking = new ArrayList<>();
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int n = 0; n < images; n++) {
        asking.add(clients.submit(() -> ask(node, body, refused)));
      }
      int all = images;
      node.admin()
          .await(_ -> IMAGE_PROVIDER.pending() + refused.get() == all, "all to be sent or refused");
      node.admin()
          .await(
              now -> Admin.total(now, "tollgate_inflight_bytes") == 0,
              "what was sent to be let go");
      IMAGE_PROVIDER.answer();
      for (Future<RawResponse> each : asking) {
        RawResponse reply = each.get(1, TimeUnit.MINUTES);
        if (reply.status() != 200) {
          assertThat(reply.status()).as(reply.text()).isEqualTo(503);
          assertThat(reply.text()).contains("\"service_unavailable\"");
          assertThat(reply.header("retry-after")).isNotNull();
        }
      }
    }
    node.admin().awaitIdle();
    return images - refused.get();
  }

  private static RawResponse ask(GatewayProcess node, byte[] body, AtomicInteger refused) {
    String head =
        """
        POST /v1/images/edits HTTP/1.1\r
        Host: localhost\r
        %s\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        """
            .formatted(SharedNode.authorization(), body.length);
    try (RawClient client = node.connect().within(Duration.ofMinutes(1))) {
      // The whole request is written before anything is read, as blocking clients do: a refused
      // client still receives the whole response.
      RawResponse reply = client.send(head.getBytes(ISO_8859_1)).send(body).readResponse();
      if (reply.status() != 200) {
        refused.incrementAndGet();
      }
      return reply;
    }
  }

  private static byte[] imageBody() {
    String image = "iVBORw0KGgoAAAAN".repeat(IMAGE_BYTES / 16);
    return ("{\"model\":\"memory/image\",\"prompt\":\"p\",\"input_images\":[\"" + image + "\"]}")
        .getBytes(ISO_8859_1);
  }
}
