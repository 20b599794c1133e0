package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Fifty requests at once of a key with ten thousand tokens a minute: each is estimated at a
 * thousand and uses four hundred.
 */
final class TokenBurst {
  static final String LIMIT = "10000";
  private static final int LIMIT_TOKENS = Integer.parseInt(LIMIT);
  private static final int ESTIMATE_TOKENS = 1_000;
  private static final int REQUESTS = 50;
  private static final long REPLY_SECONDS_MAX = 60;

  /** 190 tokens, and room for the message's own. */
  private static final String PROMPT = "x".repeat(760);

  private static final String BODY =
      """
      {"model":"rush/thinks","max_completion_tokens":800,\
      "messages":[{"role":"user","content":"%s"}]}"""
          .formatted(PROMPT);

  private final List<JsonNode> served = new ArrayList<>();
  private int refused;
  private int uncounted;

  private TokenBurst(List<RawResponse> replies) {
    for (RawResponse reply : replies) {
      switch (reply.status()) {
        case 200 -> served.add(Json.tree(reply.text()));
        case 503 -> uncounted++;
        default -> {
          assertThat(ChatRequests.code(reply)).isEqualTo("tokens_per_minute_exceeded");
          refused++;
        }
      }
    }
  }

  /** A setup with its model, whose delay is longer than it takes to send all fifty. */
  static ConfigBuilder model(ConfigBuilder setup) {
    return setup.model("rush/thinks", "mock", "mock-chat?ttft=4s&interval=0ms&chunks=180");
  }

  /** At most ten are admitted at first; their unused tokens admit more. */
  static String requireAsManyAsFit(List<GatewayProcess> nodes, String key) throws Exception {
    long begun = System.nanoTime();
    TokenBurst first = of(nodes, key);
    assertThat(first.served.size())
        .as("%s", first)
        .isLessThanOrEqualTo(LIMIT_TOKENS / ESTIMATE_TOKENS);
    if (first.uncounted == 0) { // if Redis is late on a busy machine, fewer are admitted
      assertThat(first.served).hasSize(LIMIT_TOKENS / ESTIMATE_TOKENS);
    }
    assertThat(first.used()).isBetween(first.served.size() * 350L, first.served.size() * 450L);

    TokenBurst second = of(nodes, key);
    double seconds = Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1_000.0;
    long free = LIMIT_TOKENS - first.used();
    long flowedIn = (long) Math.ceil(seconds * LIMIT_TOKENS / 60);
    String figures = "first %s, after %.1f s %s".formatted(first, seconds, second);
    assertThat(second.served.size())
        .as(figures)
        .isLessThanOrEqualTo((int) Math.ceilDiv(free + flowedIn, ESTIMATE_TOKENS - 10));
    if (second.uncounted == 0) {
      assertThat((long) second.served.size())
          .as(figures)
          .isGreaterThanOrEqualTo(free / ESTIMATE_TOKENS);
    }
    return figures;
  }

  private static TokenBurst of(List<GatewayProcess> nodes, String key) throws Exception {
    List<Callable<RawResponse>> asked =
        IntStream.range(0, REQUESTS)
            .<Callable<RawResponse>>mapToObj(n -> () -> ask(nodes.get(n % nodes.size()), key))
            .toList();
    List<RawResponse> replies = new ArrayList<>();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<RawResponse> reply : clients.invokeAll(asked)) {
        replies.add(reply.get(REPLY_SECONDS_MAX, TimeUnit.SECONDS));
      }
    }
    return new TokenBurst(replies);
  }

  private static RawResponse ask(GatewayProcess node, String key) {
    try (RawClient client = node.connect()) {
      return client.post(ChatRequests.PATH, BODY, ChatRequests.authorization(key)).readResponse();
    }
  }

  /** Tokens of the served requests. */
  private long used() {
    return served.stream().mapToLong(reply -> reply.at("/usage/total_tokens").asLong()).sum();
  }

  @Override
  public String toString() {
    return "%d served with %d tokens, %d refused, %d not counted in time"
        .formatted(served.size(), used(), refused, uncounted);
  }
}
