package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Open-loop load: requests at a constant rate, each on a connection of its own. */
final class SteadyLoad implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(1);
  private final ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final Supplier<GatewayProcess> nodes;
  private final String authorization;
  private final IntFunction<String> bodies;

  /**
   * One complete response.
   *
   * @param code of an error, else empty; {@code client} if the connection failed
   * @param provider provider that served
   */
  record Answer(
      String requestId,
      long askedNanos,
      long answeredNanos,
      int status,
      String code,
      String retryAfter,
      String shouldRetry,
      String provider) {}

  private SteadyLoad(
      Supplier<GatewayProcess> nodes, String key, IntFunction<String> bodies, int perSecond) {
    this.nodes = nodes;
    this.authorization = ChatRequests.authorization(key);
    this.bodies = bodies;
    long everyNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    clock.scheduleAtFixedRate(
        () -> clients.execute(this::ask), 0, everyNanos, TimeUnit.NANOSECONDS);
  }

  /** Starts the load. */
  static SteadyLoad on(GatewayProcess node, String model, int perSecond) {
    return on(() -> node, model, perSecond);
  }

  /** Starts the load; each request goes to the node that is supplied at that time. */
  static SteadyLoad on(Supplier<GatewayProcess> nodes, String model, int perSecond) {
    String body = ChatRequests.body(model, false);
    return new SteadyLoad(nodes, SharedNode.key(), _ -> body, perSecond);
  }

  /** Starts the load of one key; the bodies are made from the number of the request, from 0. */
  static SteadyLoad on(GatewayProcess node, String key, IntFunction<String> bodies, int perSecond) {
    return new SteadyLoad(() -> node, key, bodies, perSecond);
  }

  private void ask() {
    String body = bodies.apply(asked.getAndIncrement());
    long askedNanos = System.nanoTime();
    try (RawClient client = nodes.get().connect().within(PATIENCE)) {
      RawResponse reply = client.post(ChatRequests.PATH, body, authorization).readResponse();
      answers.add(answer(askedNanos, reply));
    } catch (RuntimeException | AssertionError failed) {
      answers.add(new Answer("", askedNanos, System.nanoTime(), 0, "client", "", "", ""));
    }
  }

  private static Answer answer(long askedNanos, RawResponse reply) {
    return new Answer(
        String.valueOf(reply.header("x-request-id")),
        askedNanos,
        System.nanoTime(),
        reply.status(),
        reply.status() == 200 ? "" : ChatRequests.code(reply),
        String.valueOf(reply.header("retry-after")),
        String.valueOf(reply.header("x-should-retry")),
        String.valueOf(reply.header("x-llm-provider")));
  }

  /** Returns the responses to requests sent from then on. */
  List<Answer> since(long nanos) {
    return answers.stream().filter(each -> each.askedNanos() - nanos >= 0).toList();
  }

  /** Waits for this time. */
  void runFor(Duration time) throws Exception {
    clock.schedule(() -> {}, time.toNanos(), TimeUnit.NANOSECONDS).get();
  }

  /** Stops the load, and waits for all responses. */
  void end() throws InterruptedException {
    clock.shutdownNow();
    clients.shutdown();
    if (!clients.awaitTermination(PATIENCE.toSeconds() + 5, TimeUnit.SECONDS)) {
      throw new AssertionError("clients wait for answers");
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
    clients.shutdownNow();
  }
}
