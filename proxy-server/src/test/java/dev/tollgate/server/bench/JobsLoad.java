package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Owners of media jobs: they submit them as fast as they are taken, and then ask how one or another
 * stands, at a rate that does not wait for answers.
 */
final class JobsLoad implements AutoCloseable {
  private static final int CONNECTIONS = 8;
  private static final String PATH = "/v1/video/generations";
  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final int port;
  private final String name;
  private final String authorization;
  private final List<String> ids = new ArrayList<>();
  private final List<Double> pollMillis = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final List<RawClient> pollers = new ArrayList<>();
  private final ScheduledThreadPoolExecutor polls = new ScheduledThreadPoolExecutor(CONNECTIONS);

  /**
   * @param name which no other load of the same key has
   */
  JobsLoad(int port, String key, String name) {
    this.port = port;
    this.name = name;
    this.authorization = "Authorization: Bearer " + key;
  }

  /** Submits so many; seconds that it took. */
  double submit(int jobs, String model) throws Exception {
    long began = System.nanoTime();
    List<Future<List<String>>> made = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
      for (int n = 0; n < CONNECTIONS; n++) {
        int from = jobs * n / CONNECTIONS;
        int to = jobs * (n + 1) / CONNECTIONS;
        made.add(threads.submit(() -> submitted(from, to, model)));
      }
      for (Future<List<String>> each : made) {
        ids.addAll(each.get());
      }
    }
    return (System.nanoTime() - began) / 1e9;
  }

  private List<String> submitted(int from, int to, String model) {
    List<String> mine = new ArrayList<>();
    String body =
        "{\"model\":\"%s\",\"prompt\":\"p\",\"duration_seconds\":1,\"resolution\":\"64x64\"}"
            .formatted(model);
    try (RawClient client = RawClient.connect(port).within(ANSWER)) {
      for (int n = from; n < to; n++) {
        RawResponse answer =
            client
                .post(PATH, body, authorization, "Idempotency-Key: " + name + "-" + n)
                .readResponse();
        Matcher id = ID.matcher(answer.text());
        assertThat(answer.status() == 202 && id.find()).as(answer.text()).isTrue();
        mine.add(id.group(1));
      }
    }
    return mine;
  }

  /** Asks so often a second from now on. */
  void poll(int perSecond) {
    long everyNanos = TimeUnit.SECONDS.toNanos(CONNECTIONS) / perSecond;
    for (int n = 0; n < CONNECTIONS; n++) {
      RawClient client = RawClient.connect(port).within(ANSWER);
      pollers.add(client);
      long first = everyNanos * n / CONNECTIONS;
      var poller = new Poller(client, System.nanoTime() + first, everyNanos);
      var _ = polls.scheduleAtFixedRate(poller, first, everyNanos, TimeUnit.NANOSECONDS);
    }
  }

  /** One connection; an answer is late from when it should have been asked for. */
  private final class Poller implements Runnable {
    private final RawClient client;
    private final long everyNanos;
    private long dueNanos;

    Poller(RawClient client, long dueNanos, long everyNanos) {
      this.client = client;
      this.dueNanos = dueNanos;
      this.everyNanos = everyNanos;
    }

    @Override
    public void run() {
      String id = ids.get(ThreadLocalRandom.current().nextInt(ids.size()));
      RawResponse answer = client.get(PATH + "/" + id, authorization).readResponse();
      remember((System.nanoTime() - dueNanos) / 1e6, answer);
      dueNanos += everyNanos;
    }
  }

  private synchronized void remember(double millis, RawResponse answer) {
    pollMillis.add(millis);
    if (answer.status() != 200) {
      refused.add(answer.text());
    }
  }

  /** Milliseconds of each poll so far. */
  synchronized List<Double> pollMillis() {
    return List.copyOf(pollMillis);
  }

  /** What polls were answered that were not told of their job. */
  synchronized List<String> refused() {
    return List.copyOf(refused);
  }

  @Override
  public void close() {
    polls.shutdown();
    try {
      assertThat(polls.awaitTermination(ANSWER.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    pollers.forEach(RawClient::close);
  }
}
