package dev.tollgate.server.acceptance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Two nodes on one database execute a submission once: if a hundred arrive at once, and if a node
 * is killed at each step.
 */
class SubmissionsIT {
  private static final String PATH = "/v1/images/generations";
  private static final String MODEL = "scripted/image";
  private static final String LEASE = "server.idempotency.lease=2s";
  private static final int CLIENTS = 100;

  /** Charges of the model that only this test uses. */
  private static final String CHARGES =
      "SELECT count(*) FROM settlement s JOIN request_log l"
          + " ON l.day = s.day AND l.request_id = s.request_id"
          + " WHERE l.row::json ->> 'model' = '"
          + MODEL
          + "'";

  private static final Map<String, Integer> CALLS = new ConcurrentHashMap<>();
  private static NodeFolder folder;
  private static GatewayProcess node;
  private static LedgerDatabase ledgerDatabase;

  @BeforeAll
  static void start() throws Exception {
    SharedNode.scripted()
        .model(
            "image",
            (request, connection) -> {
              String prompt = request.path("prompt").asText();
              CALLS.merge(prompt, 1, Integer::sum);
              if (prompt.startsWith("hold")) {
                connection.gate(prompt);
              }
              connection.send(OpenAiWire.images(7, 1_290));
            });
    ledgerDatabase = LedgerDatabase.of(SharedNode.node().home());
    folder = NodeFolder.with(SharedNode.setup());
    node = serve();
  }

  @AfterAll
  static void stop() {
    node.close();
    folder.close();
  }

  private static GatewayProcess serve() throws Exception {
    List<String> settings = new ArrayList<>(SharedNode.node().home().storeSettings());
    settings.add(LEASE);
    return GatewayProcess.start(folder, settings.toArray(String[]::new));
  }

  @Test
  void ofAHundredConcurrentSubmissionsOneIsExecuted() throws Exception {
    long before = ledgerDatabase.number(CHARGES);
    List<Future<RawResponse>> sent = new ArrayList<>();
    CountDownLatch refused = new CountDownLatch(CLIENTS - 1);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLIENTS; i++) {
        GatewayProcess at = i % 2 == 0 ? node : SharedNode.node();
        sent.add(
            clients.submit(
                () -> {
                  RawResponse response = submit(at, "hold all");
                  refused.countDown();
                  return response;
                }));
      }
      assertThat(refused.await(30, TimeUnit.SECONDS)).isTrue();
      SharedNode.scripted().open("hold all");
    }
    RawResponse made = null;
    int conflicts = 0;
    for (Future<RawResponse> each : sent) {
      RawResponse response = each.get();
      if (response.status() == 200) {
        assertThat(made).isNull();
        made = response;
      } else {
        conflicts++;
        assertThat(response.status()).isEqualTo(409);
        assertThat(ChatRequests.code(response)).isEqualTo("idempotency_conflict");
        assertThat(Integer.parseInt(response.header("retry-after"))).isPositive();
        assertThat(response.header("x-should-retry")).isEqualTo("true");
      }
    }
    assertThat(made).isNotNull();
    assertThat(conflicts).isEqualTo(CLIENTS - 1);
    for (GatewayProcess each : List.of(node, SharedNode.node())) {
      RawResponse again = submit(each, "hold all");
      assertThat(again.status()).isEqualTo(200);
      assertThat(again.text()).isEqualTo(made.text());
      assertThat(again.header("idempotent-replayed")).isEqualTo("true");
      assertThat(again.header("x-llm-cost-micro")).isEqualTo(made.header("x-llm-cost-micro"));
      assertThat(again.header("x-request-id")).isNotEqualTo(made.header("x-request-id"));
    }
    assertThat(CALLS).containsEntry("hold all", 1);
    awaitCharges(before + 1);
  }

  @Test
  void aKilledNodeLeavesOneCallAndOneChargeAtMost() throws Exception {
    long before = ledgerDatabase.number(CHARGES);
    assertThat(submit(node, "after all").status()).isEqualTo(200);
    awaitCharges(before + 1);
    try (var store = BlockedIdempotencyStore.at(SharedNode.node().home());
        ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      store.hold("at the claim", "claimed");
      store.hold("at the mark", "dispatched");
      store.hold("at the reply", "done");
      List<String> held =
          List.of("at the claim", "at the mark", "at the reply", "hold at the provider");
      for (String prompt : held) {
        clients.submit(() -> submit(node, prompt));
      }
      store.awaitHeld(3);
      awaitCall("hold at the provider");
      node.kill();

      // Duplicates get the answer that it runs, until its lease expires.
      for (String prompt : List.of("at the mark", "at the reply", "hold at the provider")) {
        RawResponse response = submit(SharedNode.node(), prompt);
        assertThat(response.status()).as(prompt).isEqualTo(409);
        assertThat(response.header("retry-after")).isNotEmpty();
      }
      store.awaitHeld(0); // those of the killed node are recovered
    }
    SharedNode.scripted().open("hold at the provider");

    // No provider had received these.
    assertThat(whenOver("at the claim").status()).isEqualTo(200);
    assertThat(whenOver("at the mark").status()).isEqualTo(200);
    // A provider had received these, and their results are unknown.
    for (String prompt : List.of("at the reply", "hold at the provider")) {
      RawResponse lost = whenOver(prompt);
      assertThat(lost.status()).as(prompt).isEqualTo(502);
      assertThat(ChatRequests.code(lost)).isEqualTo("provider_error");
      assertThat(lost.header("x-should-retry")).isEqualTo("false");
      assertThat(named(submit(SharedNode.node(), prompt))).isEqualTo(named(lost));
    }
    RawResponse replayed = submit(SharedNode.node(), "after all");
    assertThat(replayed.status()).isEqualTo(200);
    assertThat(replayed.header("idempotent-replayed")).isEqualTo("true");

    node = serve(); // and settles its pending charges
    for (String prompt : List.of("at the reply", "hold at the provider")) {
      assertThat(submit(node, prompt).status()).isEqualTo(502);
    }
    assertThat(CALLS)
        .containsEntry("at the claim", 1)
        .containsEntry("at the mark", 1)
        .containsEntry("at the reply", 1)
        .containsEntry("hold at the provider", 1)
        .containsEntry("after all", 1);
    awaitCharges(before + 3);
    node.admin().awaitBooked();
    assertThat(ledgerDatabase.number(CHARGES)).isEqualTo(before + 3);
  }

  /** The whole response except for the request id. */
  private static String named(RawResponse response) {
    String name = requireNonNull(response.header("x-request-id"));
    assertThat(response.text()).contains(name);
    return response.text().replace(name, "id");
  }

  /** Repeats the request at the other node until the first one's lease has expired. */
  private static RawResponse whenOver(String prompt) {
    RawResponse response = submit(SharedNode.node(), prompt);
    long began = System.nanoTime();
    while (response.status() == 409) {
      assertThat(System.nanoTime() - began).as(prompt).isLessThan(20_000_000_000L);
      response = submit(SharedNode.node(), prompt);
    }
    return response;
  }

  private static void awaitCall(String prompt) {
    long began = System.nanoTime();
    while (!CALLS.containsKey(prompt)) {
      assertThat(System.nanoTime() - began).as(prompt).isLessThan(20_000_000_000L);
      Thread.onSpinWait();
    }
  }

  private static void awaitCharges(long charges) throws Exception {
    long began = System.nanoTime();
    while (ledgerDatabase.number(CHARGES) != charges) {
      assertThat(System.nanoTime() - began).as("charges").isLessThan(20_000_000_000L);
    }
  }

  /** The prompt is the idempotency key, too. */
  private static RawResponse submit(GatewayProcess at, String prompt) {
    String body = "{\"model\":\"" + MODEL + "\",\"prompt\":\"" + prompt + "\"}";
    try (RawClient client = at.connect()) {
      return client
          .post(PATH, body, SharedNode.authorization(), "Idempotency-Key: " + prompt)
          .readResponse();
    }
  }
}
