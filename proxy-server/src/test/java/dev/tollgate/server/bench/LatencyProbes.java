package dev.tollgate.server.bench;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients beside a load that ask now and then, each on a thread and a connection of its own: how
 * long they wait for an answer, without the delays of who makes the load.
 */
final class LatencyProbes implements AutoCloseable {
  private static final int THREADS = 8;
  private static final long EVERY_MILLIS = 25;

  private final CountDownLatch ending = new CountDownLatch(1);
  private final AtomicInteger broken = new AtomicInteger();
  private final List<Long> answeredNanos = new ArrayList<>();
  private final int port;
  private final int status;
  private final String authorization;
  private final String body;

  /**
   * @param status of the answers that count
   */
  LatencyProbes(int port, String key, String model, int status) {
    this.port = port;
    this.status = status;
    this.authorization = "Authorization: Bearer " + key;
    this.body =
        "{\"model\":\""
            + model
            + "\",\"stream\":true,\"max_tokens\":64,"
            + "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
    for (int n = 0; n < THREADS; n++) {
      Thread.ofPlatform().name("witness-" + n).daemon().start(this::ask);
    }
  }

  private void ask() {
    try (RawClient client = RawClient.connect(port).within(Duration.ofSeconds(30))) {
      while (!ending.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        long askedNanos = System.nanoTime();
        client.post("/v1/chat/completions", body, authorization).peekAtLeast(1);
        long tookNanos = System.nanoTime() - askedNanos;
        RawResponse response = client.readResponse();
        if (response.status() == status) {
          remember(tookNanos);
        }
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } catch (AssertionError | RuntimeException cutOff) {
      if (ending.getCount() > 0) {
        broken.incrementAndGet();
      }
    }
  }

  private synchronized void remember(long tookNanos) {
    answeredNanos.add(tookNanos);
  }

  /** How long the answers took that came since the last time. */
  synchronized List<Long> take() {
    List<Long> taken = List.copyOf(answeredNanos);
    answeredNanos.clear();
    return taken;
  }

  /** Those whose connection ended, which none should. */
  int broken() {
    return broken.get();
  }

  @Override
  public void close() {
    ending.countDown();
  }
}
