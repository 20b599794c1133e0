package dev.tollgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckTest {
  @TempDir private Path folder = Path.of("");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  private String write(String yaml) throws IOException {
    return Files.writeString(folder.resolve("gateway.yaml"), yaml).toString();
  }

  @Test
  void aValidFileIsToldOnOut() throws IOException {
    String file = write("version: 1\nproviders: { mock: { type: mock } }");
    assertThat(run("check", "--config", file)).isZero();
    assertThat(out.toString().strip()).isEqualTo(file + " is valid: 1 providers, 0 models");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void allProblemsAreToldOnErr() throws IOException {
    String file = write("version: 1\nstor: {}\n");
    assertThat(run("check", "--config", file, "--set", "server.transport=x")).isOne();
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().lines())
        .containsExactly(
            file + ":2:1: stor: unknown key; did you mean store?",
            "--set server.transport: server.transport: must be one of auto, epoll, nio, not \"x\"",
            "2 problems");
  }

  @Test
  void aMissingFileIsAProblemAndAMissingOptionIsMisuse() {
    String file = folder.resolve("none.yaml").toString();
    assertThat(run("check", "--config", file)).isOne();
    assertThat(err.toString()).contains(file + ":1:1: cannot be read as UTF-8 text");
    assertThat(run("check")).isEqualTo(2);
  }

  @Test
  void connectReachesProvidersByTcpAndSaysWhoIsNotThere() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    int closed;
    try (var gone = new ServerSocket(0, 1, loopback)) {
      closed = gone.getLocalPort();
    }
    try (var listening = new ServerSocket(0, 1, loopback)) {
      String file =
          write(
              """
              version: 1
              providers:
                here: { type: openai, base_url: "http://127.0.0.1:%d/v1", api_key: secret }
                gone: { type: openai, base_url: "http://127.0.0.1:%d/v1" }
                mock: { type: mock }
              """
                  .formatted(listening.getLocalPort(), closed));
      assertThat(run("check", "--config", file, "--connect")).isOne();
      assertThat(out.toString())
          .contains("store: embedded")
          .contains("provider here http://127.0.0.1:" + listening.getLocalPort() + "/v1: connected")
          .contains("provider mock: bundled");
      assertThat(err.toString()).contains("provider gone").contains("cannot connect");
    }
  }

  @Test
  void connectTriesTheDatabase() throws IOException {
    int closed;
    try (var gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = gone.getLocalPort();
    }
    String url = "jdbc:postgresql://127.0.0.1:" + closed + "/gw";
    String file =
        write("version: 1\nstore: { url: '%s', username: u, password: pw-canary }".formatted(url));
    assertThat(run("check", "--config", file, "--connect")).isOne();
    assertThat(err.toString()).contains("store " + url).doesNotContain("pw-canary");
  }

  @Test
  void connectTriesRedis() throws IOException {
    int closed;
    try (var gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = gone.getLocalPort();
    }
    String file =
        write("version: 1\nredis: { url: 'redis://:pw-canary@127.0.0.1:%d' }".formatted(closed));
    assertThat(run("check", "--config", file, "--connect")).isOne();
    assertThat(err.toString())
        .contains("redis 127.0.0.1:" + closed + ": cannot connect")
        .doesNotContain("pw-canary");
  }

  @Test
  void theSchemaIsPrintedAsJson() {
    assertThat(run("schema")).isZero();
    assertThat(out.toString())
        .startsWith("{")
        .contains("https://json-schema.org/draft/2020-12/schema");
  }
}
