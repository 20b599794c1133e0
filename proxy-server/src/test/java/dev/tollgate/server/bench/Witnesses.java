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
 * long those who are turned away wait for that, without the delays of who makes the load.
 */
final class Witnesses implements AutoCloseable {
  private static final int THREADS = 8;
  private static final long EVERY_MILLIS = 25;

  private final CountDownLatch ending = new CountDownLatch(1);
  private final AtomicInteger broken = new AtomicInteger();
  private final List<Long> shedNanos = new ArrayList<>();
  private final int port;
  private final String authorization;
  private final String body;

  Witnesses(int port, String key, String model) {
    this.port = port;
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
        if (response.status() == 503) {
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
    shedNanos.add(tookNanos);
  }

  /** How long the 503s took that came since the last time. */
  synchronized List<Long> take() {
    List<Long> taken = List.copyOf(shedNanos);
    shedNanos.clear();
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
