package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Floods of requests that can only be refused, at the real program: with a revoked key, with
 * invalid bodies, and with keys that do not exist. The full form has 12,000 requests: {@code
 * -Dtollgate.refusals=12000 -Dtollgate.refusals.connections=300}.
 */
class RefusalBudgetsIT {
  private static final int REQUESTS = Integer.getInteger("tollgate.refusals", 800);
  private static final int CONNECTIONS = Integer.getInteger("tollgate.refusals.connections", 50);
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Per second, and at once: the least of any key. */
  private static final int OF_KEY = 50;

  private static final int OF_ADDRESS = 10;
  private static final int OF_ADDRESS_AT_ONCE = 40;

  private static String revoked;
  private static String good;
  private static String cold;

  @BeforeAll
  static void createKeys() throws Exception {
    Admin admin = SharedNode.node().admin();
    double known = admin.total("tollgate_auth_key_ids");
    revoked = create("revoked");
    good = create("good");
    cold = create("cold");
    Tenants.run("keys", "revoke", revoked.substring(7, 15));
    // The node learns of keys by its poll; until then a new key counts as one that does not exist.
    admin.await(
        numbers -> Admin.total(numbers, "tollgate_auth_key_ids") >= known + 3,
        "the ids of the new keys");
  }

  private static String create(String name) throws Exception {
    return Json.tree(
            Tenants.run(
                "keys",
                "create",
                "--org",
                "acceptance",
                "--name",
                name,
                "--requests-per-second",
                "10"))
        .path("key")
        .asText();
  }

  @Test
  void aRevokedKeyIsRefusedWith429BehindItsBudget() throws Exception {
    Flood flood = new Flood("127.0.0.1", 8);
    flood.run(client -> client.get("/v1/models", ChatRequests.authorization(revoked)));

    flood.keepFigures("refusals-revoked");
    flood.assertRefused(401, OF_KEY, OF_KEY);
  }

  @Test
  void invalidBodiesAreRefusedWith429BehindTheBudgetOfTheirKey() throws Exception {
    Flood flood = new Flood("127.0.0.1", 8);
    String body = "{\"model\":\"test/chat\",\"messages\":\"none\"}";
    flood.run(client -> client.post(ChatRequests.PATH, body, ChatRequests.authorization(good)));

    flood.keepFigures("refusals-invalid");
    flood.assertRefused(400, OF_KEY, OF_KEY);
    assertThat(ask(SharedNode.key()).status()).as("of another key").isEqualTo(200);
  }

  @Test
  void madeUpKeysKeepNoRealKeyFromItsFirstLookUp() throws Exception {
    double before = refusals();
    Flood flood = new Flood("127.0.0.9", CONNECTIONS);
    flood.goesOn = true;
    Thread attack =
        Thread.ofPlatform()
            .start(
                () ->
                    flood.run(
                        client ->
                            client.get(
                                "/v1/models",
                                ChatRequests.authorization(ApiKeyText.generate(RANDOM).text()))));
    flood.begun.await();
    RawResponse first;
    try (RawClient victim = connect("127.0.0.9")) {
      victim.post(
          ChatRequests.PATH, ChatRequests.body("acme/m1", false), ChatRequests.authorization(cold));
      first = victim.readResponse();
    }
    flood.goesOn = false;
    attack.join();

    flood.keepFigures("refusals-made-up");
    assertThat(first.status()).as("of a real key at its first try").isEqualTo(200);
    flood.assertRefused(401, OF_ADDRESS_AT_ONCE, OF_ADDRESS);
    assertThat((long) (refusals() - before)).isGreaterThanOrEqualTo(flood.count(429));
    assertThat(ask(ApiKeyText.generate(RANDOM).text()).status())
        .as("from another address")
        .isEqualTo(401);
  }

  private static double refusals() {
    return SharedNode.node()
        .admin()
        .total("tollgate_limit_refusals_total{code=\"rate_limited\",scope=\"refusals\"}");
  }

  private static RawResponse ask(String key) {
    try (RawClient client = SharedNode.node().connect()) {
      return client.get("/v1/models", ChatRequests.authorization(key)).readResponse();
    }
  }

  private static RawClient connect(String from) {
    Socket socket = new Socket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
      socket.connect(
          new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), SharedNode.node().port()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return RawClient.over(socket);
  }

  /** Requests from one address on many connections, as fast as the node answers them. */
  private static final class Flood {
    private final String from;
    private final int connections;
    private final CountDownLatch begun = new CountDownLatch(REQUESTS / 4);
    private final AtomicInteger left = new AtomicInteger(REQUESTS);
    private final Map<Integer, LongAdder> byStatus = new ConcurrentSkipListMap<>();
    private volatile boolean goesOn;
    private double seconds;

    Flood(String from, int connections) {
      this.from = from;
      this.connections = connections;
    }

    void run(Consumer<RawClient> request) {
      long beganNanos = System.nanoTime();
      List<Thread> clients = new ArrayList<>();
      for (int n = 0; n < connections; n++) {
        clients.add(Thread.ofVirtual().start(() -> askUntilDone(request)));
      }
      for (Thread client : clients) {
        try {
          client.join();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      seconds = (System.nanoTime() - beganNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    private void askUntilDone(Consumer<RawClient> request) {
      try (RawClient client = connect(from)) {
        client.within(Duration.ofSeconds(30));
        while (left.getAndDecrement() > 0 || goesOn) {
          request.accept(client);
          byStatus
              .computeIfAbsent(client.readResponse().status(), _ -> new LongAdder())
              .increment();
          begun.countDown();
        }
      }
    }

    long count(int status) {
      LongAdder count = byStatus.get(status);
      return count == null ? 0 : count.sum();
    }

    /** The refusals are those of the budget, and all others are 429. */
    void assertRefused(int status, int atOnce, int perSecond) {
      assertThat(byStatus.keySet()).containsExactly(status, 429);
      assertThat(count(status) + count(429)).isGreaterThanOrEqualTo(REQUESTS);
      assertThat(count(status)).isBetween((long) atOnce, (long) (atOnce + perSecond * seconds + 1));
    }

    void keepFigures(String name) throws IOException {
      RecordedFigures.keep(name, byStatus + " in %.1f s".formatted(seconds));
    }
  }
}
