package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The mock provider as a process. */
class MockVerbTest {
  @Test
  void printsItsAddressServesAndStopsOnSigterm() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "mock",
                "--port=0",
                "--ttft=0ms",
                "--chunk-interval=0ms",
                "--chunks=3",
                "--seed=7")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader out = process.inputReader(UTF_8)) {
      String baseUrl = out.readLine();
      assertThat(baseUrl).matches("http://127\\.0\\.0\\.1:\\d+/v1");
      int port = Integer.parseInt(baseUrl.replaceAll(".*:(\\d+)/v1", "$1"));
      try (RawClient client = RawClient.connect(port)) {
        client.post("/v1/chat/completions", "{\"model\":\"m\"}");
        assertThat(client.readResponse().text()).contains("\"completion_tokens\":3");
      }
      process.toHandle().destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      assertThat(out.readLine()).isNull();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void wrongOptionsAreAUsageErrorAndATakenPortAFailure() throws Exception {
    assertThat(run("mock", "--ttft=soon").code()).isEqualTo(2);
    assertThat(run("mock", "--port=0", "--chunks=-1").err()).contains("chunks must be 0 to");
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    try (ServerSocket taken = new ServerSocket(0, 1, loopback)) {
      Ran ran = run("mock", "--port=" + taken.getLocalPort());
      assertThat(ran.code()).isEqualTo(1);
      assertThat(ran.err()).contains("cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  private record Ran(int code, String err) {}

  private static Ran run(String... args) {
    StringWriter err = new StringWriter();
    int code = Main.commandLine().setErr(new PrintWriter(err, true)).execute(args);
    return new Ran(code, err.toString());
  }
}
