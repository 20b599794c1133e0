package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import org.junit.jupiter.api.Test;

/** Results of probing a Redis before a start. */
class RedisProbeIT {
  @Test
  void oneServerAnswersWithItsVersion() throws Exception {
    try (var process = RedisProcess.start()) {
      assertThat(look(process.url()))
          .isInstanceOfSatisfying(
              RedisProbe.Reachable.class,
              answers -> assertThat(answers.version()).matches("[0-9.]+"));
    }
  }

  @Test
  void aClusterIsNone() throws Exception {
    try (var process = RedisProcess.start("--cluster-enabled", "yes")) {
      assertThat(look(process.url())).isEqualTo(new RedisProbe.Cluster());
    }
  }

  @Test
  void whoDoesNotKnowThePasswordIsToldSo() throws Exception {
    try (var process = RedisProcess.start("--requirepass", "right")) {
      String url = process.url().replace("redis://", "redis://:wrong@");
      assertThat(look(url))
          .isInstanceOfSatisfying(
              RedisProbe.Unreachable.class,
              gone -> assertThat(gone.reason()).contains("WRONGPASS").doesNotContain("wrong@"));
    }
  }

  @Test
  void whoMayNotUseTheChannelIsToldSo() throws Exception {
    try (var process =
        RedisProcess.start("--user", "deaf", "on", ">pw", "~*", "+@all", "resetchannels")) {
      String url = process.url().replace("redis://", "redis://deaf:pw@");
      assertThat(look(url))
          .isInstanceOfSatisfying(
              RedisProbe.SubscribeDenied.class,
              deaf -> assertThat(deaf.reason()).contains("NOPERM"));
    }
  }

  private static RedisProbe look(String url) throws InterruptedException {
    return RedisProbe.run(RedisAddress.parse(new Secret(url)));
  }
}
