package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import org.junit.jupiter.api.Test;

/** Results of probing a Redis before a start. */
class RedisProbeIT {
  @Test
  void oneServerAnswersWithItsVersion() throws Exception {
    try (var process = RedisProcess.start()) {
      assertThat(probe(process.url()))
          .isInstanceOfSatisfying(
              RedisProbe.Reachable.class,
              answers -> assertThat(answers.version()).matches("[0-9.]+"));
    }
  }

  @Test
  void aClusterIsReported() throws Exception {
    try (var process = RedisProcess.start("--cluster-enabled", "yes")) {
      assertThat(probe(process.url())).isEqualTo(new RedisProbe.Cluster());
    }
  }

  @Test
  void aWrongPasswordIsReported() throws Exception {
    try (var process = RedisProcess.start("--requirepass", "right")) {
      String url = process.url().replace("redis://", "redis://:wrong@");
      assertThat(probe(url))
          .isInstanceOfSatisfying(
              RedisProbe.Unreachable.class,
              gone -> assertThat(gone.reason()).contains("WRONGPASS").doesNotContain("wrong@"));
    }
  }

  @Test
  void aDeniedChannelIsReported() throws Exception {
    try (var process =
        RedisProcess.start("--user", "denied", "on", ">pw", "~*", "+@all", "resetchannels")) {
      String url = process.url().replace("redis://", "redis://denied:pw@");
      assertThat(probe(url))
          .isInstanceOfSatisfying(
              RedisProbe.SubscribeDenied.class,
              denied -> assertThat(denied.reason()).contains("NOPERM"));
    }
  }

  private static RedisProbe probe(String url) throws InterruptedException {
    return RedisProbe.run(RedisAddress.parse(new Secret(url)));
  }
}
