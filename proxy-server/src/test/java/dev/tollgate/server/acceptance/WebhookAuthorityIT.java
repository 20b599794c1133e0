package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A webhook receiver with a certificate of a company's authority, before and with {@code
 * egress.ca}.
 */
class WebhookAuthorityIT {
  private static final Duration SOON = Duration.ofSeconds(20);

  private final CountDownLatch received = new CountDownLatch(1);

  @TempDir private Path folder = Path.of("");

  @Test
  void anUntrustedReceiverIsToldAsTlsAndAReloadTrustsIt() throws Exception {
    try (MockProvider mock = MockProvider.start(MockProfile.DEFAULT, 0);
        LoopbackHttps receiver = LoopbackHttps.start(this::receive);
        NodeFolder home = NodeFolder.with(setup(mock, receiver));
        GatewayProcess node = GatewayProcess.start(home)) {
      submit(node, receiver.url() + "/hook");
      assertThat(node.err().await(line -> line.contains("was not delivered"), SOON).orElseThrow())
          .contains(": tls_failed,");
      Path authority = Files.writeString(folder.resolve("ca.pem"), receiver.authorityPem());
      home.write(setup(mock, receiver).section("egress", Map.of("ca", authority.toString())));
      node.hangUp();
      assertThat(received.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(204, -1);
      received.countDown();
    }
  }

  private static void submit(GatewayProcess node, String url) throws Exception {
    String key = node.bootstrapKey();
    try (RawClient client = node.connect()) {
      String body =
          """
          {"model":"test/video","prompt":"A cat.","duration_seconds":1,"resolution":"64x64",\
          "webhook_url":"%s"}"""
              .formatted(url);
      RawResponse response =
          client
              .post(
                  "/v1/video/generations",
                  body,
                  ChatRequests.authorization(key),
                  "Idempotency-Key: film")
              .readResponse();
      assertThat(response.status()).as(response.text()).isEqualTo(202);
    }
  }

  private ConfigBuilder setup(MockProvider mock, LoopbackHttps receiver) {
    return ConfigBuilder.empty()
        .openAi("media", mock.baseUrl(), "none")
        .section("media", Map.of("mock_provider", true))
        .section("object_storage", Map.of("directory", folder.resolve("objects").toString()))
        .section("webhooks", Map.of("schedule", Collections.nCopies(30, "1s")))
        .urlsHere(receiver.port())
        .video("test/video", new ConfigBuilder.Route("media", "asked"));
  }
}
