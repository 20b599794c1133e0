package dev.tollgate.server.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.value.ServiceAccount;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tokens of a service account from a server that verifies the assertions. */
class AccessTokensTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final KeyPair pair;
  private final HttpServer server;
  private final ByHand chores = new ByHand();
  private Instant now = Instant.ofEpochSecond(1_700_000_000);
  private final DirectCalls calls = new DirectCalls();
  private final AccessTokens tokens =
      new AccessTokens(calls.tokens(Duration.ofSeconds(10)), () -> now, chores);
  private final List<String> forms = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private volatile String answer = "{\"access_token\":\"ya29.a\",\"expires_in\":3600}";

  AccessTokensTest() throws IOException, GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2_048);
    pair = generator.generateKeyPair();
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/token",
        exchange -> {
          forms.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          byte[] body = answer.getBytes(UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    tokens.close();
    calls.close();
    server.stop(0);
  }

  /** Scheduler whose tasks the test runs. */
  private static final class ByHand implements TaskScheduler {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Deque<Duration> delays = new ArrayDeque<>();

    @Override
    public void schedule(Duration delay, Runnable task) {
      tasks.add(task);
      delays.add(delay);
    }

    @Override
    public void stop() {}

    void runLast() {
      assertThat(delays.removeLast()).isEqualTo(Duration.ZERO);
      tasks.removeLast().run();
    }

    /** Runs the next task, and returns the delay that it was scheduled with. */
    Duration run() {
      Duration delay = delays.removeFirst();
      tasks.removeFirst().run();
      return delay;
    }
  }

  private Secret file() throws IOException {
    String pem =
        "-----BEGIN PRIVATE KEY-----\n"
            + Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded())
            + "\n-----END PRIVATE KEY-----\n";
    return new Secret(
        MAPPER.writeValueAsString(
            Map.of(
                "type", "service_account",
                "client_email", "a@p.iam.gserviceaccount.com",
                "private_key_id", "k1",
                "private_key", pem,
                "token_uri", "http://127.0.0.1:" + server.getAddress().getPort() + "/token")));
  }

  private static JsonNode part(String assertion, int i) throws IOException {
    return MAPPER.readTree(Base64.getUrlDecoder().decode(assertion.split("\\.", -1)[i]));
  }

  @Test
  void aSignedAssertionIsExchangedForAToken() throws Exception {
    Secret file = file();
    AccessToken token = tokens.of(file);
    chores.run();
    assertThat(token.current()).contains(new Secret("ya29.a"));
    assertThat(tokens.of(file())).isSameAs(token);
    assertThat(tokens.fetched()).isEqualTo(1);
    assertThat(tokens.failed()).isZero();
    assertThat(tokens.missing()).isZero();
    String form = forms.getFirst();
    assertThat(form)
        .startsWith("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
    String assertion = form.substring(form.lastIndexOf('=') + 1);
    assertThat(part(assertion, 0))
        .isEqualTo(MAPPER.readTree("{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"k1\"}"));
    JsonNode claims = part(assertion, 1);
    assertThat(claims.path("iss").asText()).isEqualTo("a@p.iam.gserviceaccount.com");
    assertThat(claims.path("aud").asText()).endsWith("/token");
    assertThat(claims.path("scope").asText()).endsWith("/auth/cloud-platform");
    assertThat(claims.path("exp").asLong() - claims.path("iat").asLong()).isEqualTo(3_600);
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initVerify(pair.getPublic());
    signature.update(assertion.substring(0, assertion.lastIndexOf('.')).getBytes(UTF_8));
    String signed = assertion.substring(assertion.lastIndexOf('.') + 1);
    assertThat(signature.verify(Base64.getUrlDecoder().decode(signed))).isTrue();
  }

  @Test
  void aTokenIsRenewedAheadAndKeptIfThatFails() throws Exception {
    AccessToken token = tokens.of(file());
    assertThat(chores.run()).isEqualTo(Duration.ZERO);
    assertThat(token.current()).contains(new Secret("ya29.a"));
    status = 503;
    answer = "busy";
    now = now.plusSeconds(3_360);
    assertThat(chores.run()).isEqualTo(Duration.ofMinutes(56));
    assertThat(token.current()).contains(new Secret("ya29.a"));
    assertThat(chores.run()).isEqualTo(Duration.ofSeconds(1));
    now = now.plusSeconds(240);
    assertThat(chores.run()).isEqualTo(Duration.ofSeconds(2));
    assertThat(token.current()).isEmpty();
    assertThat(tokens.missing()).isEqualTo(1);
    assertThat(tokens.failed()).isEqualTo(3);
    status = 200;
    answer = "{\"access_token\":\"two\",\"expires_in\":100}";
    assertThat(chores.run()).isEqualTo(Duration.ofSeconds(4));
    assertThat(token.current()).contains(new Secret("two"));
    assertThat(chores.run()).isEqualTo(Duration.ofSeconds(80));
  }

  @Test
  void aRefusedFetchIsRepeated() throws Exception {
    status = 400;
    answer = "{\"error\":\"invalid_grant\",\"error_description\":\"Invalid JWT Signature.\"}";
    AccessToken token = tokens.of(file());
    chores.run();
    tokens.awaitFirst(Duration.ZERO);
    assertThat(token.current()).isEmpty();
    assertThat(tokens.missing()).isEqualTo(1);
    for (int i = 0; i < 8; i++) {
      chores.run();
    }
    assertThat(chores.run()).isEqualTo(Duration.ofSeconds(30));
    assertThat(tokens.failed()).isEqualTo(10);
  }

  @Test
  void aTokenThatIsRefusedIsReplacedUnlessItIsNew() throws Exception {
    AccessToken token = tokens.of(file());
    chores.run();
    now = now.plusSeconds(9);
    assertThat(token.refused(token.current())).isTrue();
    chores.runLast();
    assertThat(tokens.fetched()).isEqualTo(1);
    now = now.plusSeconds(1);
    answer = "{\"access_token\":\"two\",\"expires_in\":3600}";
    Optional<Secret> first = token.current();
    assertThat(token.refused(first)).isTrue();
    assertThat(token.refused(first)).isTrue();
    chores.runLast();
    assertThat(token.current()).contains(new Secret("two"));
    assertThat(token.refused(first)).as("an older one").isTrue();
    assertThat(token.refused(token.current())).as("the one that was to help").isFalse();
    now = now.plusSeconds(60);
    status = 503;
    chores.runLast();
    assertThat(tokens.fetched()).isEqualTo(2);
    assertThat(tokens.failed()).isEqualTo(1);
    assertThat(chores.delays).as("the renewal").containsExactly(Duration.ofMinutes(56));
  }

  @Test
  void aStalledResponseTimesOut() throws Exception {
    requestTokenFrom(
        exchange -> {
          exchange.sendResponseHeaders(200, 99);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush(); // and never ends the body
        },
        Duration.ofMillis(200),
        "no token from 127.0.0.1: no complete answer within 200 ms");
  }

  @Test
  void aResponseIsReadUpToALimit() throws Exception {
    byte[] part = new byte[64 * 1024];
    requestTokenFrom(
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try (OutputStream body = exchange.getResponseBody()) {
            for (int parts = 0; parts < 4; parts++) {
              body.write(part);
            }
          }
        },
        Duration.ofSeconds(10),
        "no token from 127.0.0.1: its answer is too long");
  }

  /** Expects that a request for a token of such a server fails with the message. */
  private void requestTokenFrom(HttpHandler handler, Duration timeMax, String message)
      throws Exception {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext("/token", handler);
    other.start();
    String port = ":" + other.getAddress().getPort() + "/";
    Secret file =
        new Secret(file().reveal().replace(":" + server.getAddress().getPort() + "/", port));
    ServiceAccount account = ServiceAccount.parse(file).orElseThrow();
    try {
      assertThatExceptionOfType(TokenClient.TokenException.class)
          .isThrownBy(() -> calls.tokens(timeMax).requestToken(account, now))
          .withMessageStartingWith(message);
    } finally {
      other.stop(0);
    }
  }

  @Test
  void invalidKeyFilesHaveDistinctMessages() throws Exception {
    assertThat(ServiceAccount.parse(file())).isPresent();
    assertThat(ServiceAccount.parse(new Secret("sk-1"))).isEmpty();
    assertThat(ServiceAccount.parse(new Secret("{}"))).isEmpty();
    String broken = file().reveal().replace("KEY-----\\nMI", "KEY-----\\nMJ");
    assertThat(ServiceAccount.parse(new Secret(broken))).isEmpty();
  }
}
