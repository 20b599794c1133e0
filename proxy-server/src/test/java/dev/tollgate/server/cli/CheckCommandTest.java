package dev.tollgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tollgate.core.testkit.AwsSignature;
import dev.tollgate.core.testkit.ScriptedUpstream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckCommandTest {
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
  void aValidFileIsReportedOnStdout() throws IOException {
    String file =
        write(
            """
            version: 1
            providers: { mock: { type: mock } }
            models:
              a/b: { modality: chat, price: free, routes: [{ provider: mock, model: m }] }
            """);
    assertThat(run("check", "--config", file)).isZero();
    assertThat(out.toString().strip()).isEqualTo(file + " is valid: 1 providers, 1 models");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aProviderWithoutAKeyIsSaid() throws IOException {
    String file =
        write(
            """
            version: 1
            store: { data_dir: ./none }
            providers: { one: { type: openai, base_url: "http://127.0.0.1:1", api_key: "${NONE:-}" } }
            models:
              a/b: { modality: chat, price: free, routes: [{ provider: one, model: m }] }
            """);
    assertThat(run("check", "--config", file, "--connect")).isZero();
    assertThat(out.toString()).contains("provider one: not configured, its key is empty");
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @Test
  void allProblemsAreReportedOnStderr() throws IOException {
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
  void aMissingFileIsAProblemAndAMissingOptionAUsageError() {
    String file = folder.resolve("none.yaml").toString();
    assertThat(run("check", "--config", file)).isOne();
    assertThat(err.toString()).contains(file + ": cannot be read: it does not exist");
    assertThat(run("check")).isEqualTo(2);
  }

  /** Before, a start said so only when its database was up. */
  @Test
  void checkAndServeNameTheLineOfATlsFileThatCannotBeUsed() throws IOException {
    Path missing = folder.resolve("nope.pem");
    String file =
        write(
            """
            version: 1
            listeners:
              api:
                tls: { certificate: nope.pem, private_key: rsa.key }
            """);
    Files.writeString(folder.resolve("rsa.key"), "-----BEGIN RSA PRIVATE KEY-----\n");
    String line =
        file
            + ":4:25: listeners.api.tls.certificate: "
            + missing
            + " cannot be read: it does not exist";
    for (String verb : new String[] {"check", "serve"}) {
      assertThat(run(verb, "--config", file)).isOne();
      assertThat(err.toString()).contains(line).contains(":4:48: listeners.api.tls.private_key: ");
      assertThat(err.toString()).contains(" is in PKCS#1: convert it with openssl pkcs8 -topk8");
      err.getBuffer().setLength(0);
    }
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void whatIsNoTextFileIsToldApart() throws IOException {
    assertThat(run("check", "--config", folder.toString())).isOne();
    assertThat(err.toString()).contains(folder + ": cannot be read: it is a folder");
    Path latin = Files.write(folder.resolve("latin.yaml"), new byte[] {'#', (byte) 0xE9, '\n'});
    assertThat(run("check", "--config", latin.toString())).isOne();
    assertThat(err.toString()).contains(latin + ": cannot be read: it is not UTF-8 text");
  }

  @Test
  void connectReachesProvidersByTcpAndNamesUnreachableOnes() throws IOException {
    int closed = ScriptedUpstream.refusedPort();
    try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String file =
          write(
              """
              version: 1
              providers:
                here: { type: openai, base_url: "http://127.0.0.1:%d/v1" }
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
  void connectTriesTheKeysOfEachType() throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", CheckCommandTest::answer);
    server.start();
    String at = "http://127.0.0.1:" + server.getAddress().getPort();
    String file =
        write(
            """
            version: 1
            providers:
              o-good: { type: openai, base_url: "AT/v1", api_key: good }
              o-bad: { type: openai, base_url: "AT/v1", api_keys: [good, key-canary] }
              o-odd: { type: openai, base_url: "AT/v2", api_key: good }
              a-good: { type: anthropic, base_url: "AT", api_key: good }
              a-bad: { type: anthropic, base_url: "AT", api_key: key-canary }
              g-good: { type: gemini, base_url: "AT", api_key: good }
              g-bad: { type: gemini, base_url: "AT", api_key: key-canary }
              b-key: { type: bedrock, region: us-east-1, base_url: "AT", api_key: good }
              b-signed: { type: bedrock, region: us-east-1, base_url: "AT", access_key: A, secret_key: good }
              b-rights: { type: bedrock, region: us-east-1, base_url: "AT/rights", api_key: good }
              b-bad: { type: bedrock, region: us-east-1, base_url: "AT", access_key: A, secret_key: key-canary }
              b-over: { type: bedrock, region: us-east-1, base_url: "AT/over", api_key: good }
            """
                .replace("AT", at));
    try {
      assertThat(run("check", "--config", file, "--connect")).isOne();
    } finally {
      server.stop(0);
    }
    assertThat(out.toString())
        .contains("provider o-good " + at + "/v1: connected, key accepted")
        .contains("provider o-odd " + at + "/v2: connected, key not verified: status 404")
        .contains("provider a-good " + at + ": connected, key accepted")
        .contains("provider g-good " + at + ": connected, key accepted")
        .contains("provider b-key " + at + ": connected, key accepted")
        .contains("provider b-signed " + at + ": connected, key accepted")
        .contains("provider b-rights " + at + "/rights: connected, key not verified: status 403");
    assertThat(err.toString())
        .contains("provider o-bad " + at + "/v1: connected, key accepted, but key refused with 401")
        .contains("provider a-bad " + at + ": connected, but key refused with 401")
        .contains("provider g-bad " + at + ": connected, but key refused with 400")
        .contains("provider b-bad " + at + ": connected, but key refused with 403")
        .contains("provider b-over " + at + "/over: connected, but key refused with 400")
        .doesNotContain("key-canary");
  }

  /** Provider that accepts the one good key in any position. */
  private static void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    var sent = exchange.getRequestHeaders();
    boolean good =
        switch (path) {
          case "/v1/models" ->
              "Bearer good".equals(sent.getFirst("authorization"))
                  || "good".equals(sent.getFirst("x-api-key"));
          case "/v1beta/models" -> "good".equals(sent.getFirst("x-goog-api-key"));
          case "/async-invoke" ->
              "Bearer good".equals(sent.getFirst("authorization")) || isSigned(exchange);
          default -> false;
        };
    byte[] body =
        (path.equals("/v1beta/models")
                ? "{\"error\":{\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}"
                : path.startsWith("/rights")
                    ? "{\"message\":\"User: a is not authorized to perform: bedrock:ListAsyncInvokes\"}"
                    : "{}")
            .getBytes(UTF_8);
    int refused =
        switch (path) {
          case "/v1beta/models" -> 400;
          case "/v1/models" -> 401;
          case "/async-invoke", "/rights/async-invoke" -> 403;
          case "/over/async-invoke" -> 400;
          default -> 404;
        };
    if (path.startsWith("/over")) { // the body does not contain it
      exchange.getResponseHeaders().add("x-amzn-ErrorType", "ExpiredTokenException:http://x/");
    }
    exchange.sendResponseHeaders(good ? 200 : refused, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** True if AWS would accept the signature of the one good secret. */
  private static boolean isSigned(HttpExchange exchange) {
    Map<String, String> head = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> head.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    String target = exchange.getRequestURI().toString();
    return AwsSignature.isValid("GET", target, head, new byte[0], "good", "bedrock");
  }

  @Test
  void connectTriesTheDatabase() throws IOException {
    int closed = ScriptedUpstream.refusedPort();
    String url = "jdbc:postgresql://127.0.0.1:" + closed + "/gw";
    String file =
        write("version: 1\nstore: { url: '%s', username: u, password: pw-canary }".formatted(url));
    assertThat(run("check", "--config", file, "--connect")).isOne();
    assertThat(err.toString()).contains("store " + url).doesNotContain("pw-canary");
  }

  @Test
  void connectTriesRedis() throws IOException {
    int closed = ScriptedUpstream.refusedPort();
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

  @Test
  void connectStoresATestOutput() throws IOException {
    String kept = write("version: 1\nobject_storage: { directory: ./objects }");
    assertThat(run("check", "--config", kept, "--connect")).isZero();
    assertThat(out.toString()).contains("object storage: stored and deleted\n");
    try (var files = Files.walk(folder.resolve("objects"))) {
      assertThat(files.filter(Files::isRegularFile))
          .extracting(Path::getFileName)
          .containsExactly(Path.of("key"));
    }

    Files.writeString(folder.resolve("file"), "in the way");
    String noFolder = write("version: 1\nobject_storage: { directory: ./file/objects }");
    assertThat(run("check", "--config", noFolder, "--connect")).isOne();
    assertThat(err.toString()).contains("object storage: object_storage.directory cannot be used");

    String unreachable =
        write(
            """
            version: 1
            object_storage:
              { endpoint: http://127.0.0.1:%d, bucket: pics, access_key: a, secret_key: shh-canary,
                path_style: true }
            """
                .formatted(ScriptedUpstream.refusedPort()));
    assertThat(run("check", "--config", unreachable, "--connect")).isOne();
    assertThat(err.toString())
        .contains("object storage: cannot store: unreachable")
        .doesNotContain("shh-canary");
  }
}
