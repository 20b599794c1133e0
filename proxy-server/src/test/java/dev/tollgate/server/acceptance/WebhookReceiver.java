package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/**
 * Receiver of webhooks that counts calls, and answers the first call of every fourth event with
 * 500.
 */
final class WebhookReceiver implements AutoCloseable {
  private static final String PASSWORD = "changeit";
  private static final int EVENTS_PER_FAILURE = 4;

  private final HttpsServer server;
  private final X509Bundle authority;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Integer> callsByEvent = new HashMap<>();
  private final Map<String, Set<ReceivedEvent>> byJob = new HashMap<>();

  /** Content of a webhook. */
  record ReceivedEvent(String event, String kind, String status) {}

  private WebhookReceiver(HttpsServer server, X509Bundle authority) {
    this.server = server;
    this.authority = authority;
  }

  static WebhookReceiver start() throws Exception {
    X509Bundle authority =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=Tests")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    X509Bundle leaf =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=receiver")
            .addSanIpAddress("127.0.0.1")
            .addExtendedKeyUsageServerAuth()
            .buildIssuedBy(authority);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(leaf.toKeyManagerFactory().getKeyManagers(), null, new SecureRandom());
    var address = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
    var receiver = new WebhookReceiver(HttpsServer.create(address, 64), authority);
    receiver.server.setHttpsConfigurator(new HttpsConfigurator(tls));
    receiver.server.setExecutor(receiver.threads);
    receiver.server.createContext("/", receiver::received);
    receiver.server.start();
    return receiver;
  }

  int port() {
    return server.getAddress().getPort();
  }

  String url() {
    return "https://127.0.0.1:" + port() + "/hook";
  }

  /** Returns the JVM options of a node that trusts it. */
  List<String> trusted() throws Exception {
    return List.of(
        "-Djavax.net.ssl.trustStore=" + authority.toTempKeyStoreFile(PASSWORD.toCharArray()),
        "-Djavax.net.ssl.trustStorePassword=" + PASSWORD);
  }

  private void received(HttpExchange call) throws IOException {
    try (call) {
      JsonNode body = Json.tree(new String(call.getRequestBody().readAllBytes(), UTF_8));
      String event = call.getRequestHeaders().getFirst("webhook-id");
      JsonNode job = body.path("job");
      var received =
          new ReceivedEvent(event, body.path("event").asText(), job.path("status").asText());
      call.sendResponseHeaders(answer(received, job.path("id").asText()), -1);
    }
  }

  private synchronized int answer(ReceivedEvent received, String job) {
    byJob.computeIfAbsent(job, _ -> new HashSet<>()).add(received);
    boolean isFirst = callsByEvent.merge(received.event(), 1, Integer::sum) == 1;
    return isFirst && callsByEvent.size() % EVENTS_PER_FAILURE == 0 ? 500 : 204;
  }

  /** Returns the webhooks of a job, each event once. */
  synchronized Set<ReceivedEvent> of(String job) {
    return Set.copyOf(byJob.getOrDefault(job, Set.of()));
  }

  synchronized Set<String> jobs() {
    return Set.copyOf(byJob.keySet());
  }

  synchronized int calls() {
    return callsByEvent.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
