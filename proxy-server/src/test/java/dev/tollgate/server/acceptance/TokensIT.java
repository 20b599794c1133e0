package dev.tollgate.server.acceptance;

import dev.tollgate.server.redis.RedisProcess;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tokens per minute at the real program: on one node, and on three that share a Redis. */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class TokensIT {
  private static final List<String> SMALL = List.of("-XX:+UseSerialGC");

  @Test
  void oneNodeAdmitsUpToTheLimit() throws Exception {
    try (GatewayProcess node = node()) {
      RecordedFigures.keep("tokens-local", TokenBurst.requireAsManyAsFit(List.of(node), key()));
    }
  }

  @Test
  void nodesWithRedisAdmitUpToTheLimitTogether() throws Exception {
    try (var redis = RedisProcess.start();
        GatewayProcess one = node("redis.url=" + redis.url());
        GatewayProcess two = node("redis.url=" + redis.url());
        GatewayProcess three = node("redis.url=" + redis.url())) {
      RecordedFigures.keep(
          "tokens-redis", TokenBurst.requireAsManyAsFit(List.of(one, two, three), key()));
    }
  }

  private static GatewayProcess node(String... settings) {
    return SharedNode.beside(TokenBurst.model(SharedNode.setup()), SMALL, settings);
  }

  private static String key() throws Exception {
    String made =
        LauncherProcess.ask(
            SharedNode.node().home(),
            "keys",
            "create",
            "--org",
            "acceptance",
            "--name",
            "rush",
            "--tokens-per-minute",
            TokenBurst.LIMIT,
            "--requests-per-second",
            "0");
    return Json.tree(made).path("key").asText();
  }
}
