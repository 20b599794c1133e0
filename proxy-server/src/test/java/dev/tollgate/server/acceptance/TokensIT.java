package dev.tollgate.server.acceptance;

import dev.tollgate.server.redis.RedisProcess;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tokens per minute at the real program: on one node, and on three that share a Redis. */
@Execution(ExecutionMode.CONCURRENT)
class TokensIT {
  private static final List<String> SMALL = List.of("-XX:+UseSerialGC");

  @Test
  void aNodeThatIsAloneLetsInWhatFits() throws Exception {
    try (Binary node = node()) {
      Figures.keep("tokens-local", TokenRush.requireAsManyAsFit(List.of(node), key()));
    }
  }

  @Test
  void nodesThatShareARedisLetInTogetherWhatFits() throws Exception {
    try (var redis = RedisProcess.start();
        Binary one = node("redis.url=" + redis.url());
        Binary two = node("redis.url=" + redis.url());
        Binary three = node("redis.url=" + redis.url())) {
      Figures.keep("tokens-redis", TokenRush.requireAsManyAsFit(List.of(one, two, three), key()));
    }
  }

  private static Binary node(String... settings) {
    return Shared.beside(TokenRush.model(Shared.setup()), SMALL, settings);
  }

  private static String key() throws Exception {
    String made =
        Program.ask(
            Shared.node().home(),
            "keys",
            "create",
            "--org",
            "acceptance",
            "--name",
            "rush",
            "--tokens-per-minute",
            TokenRush.LIMIT,
            "--requests-per-second",
            "0");
    return Json.tree(made).path("key").asText();
  }
}
