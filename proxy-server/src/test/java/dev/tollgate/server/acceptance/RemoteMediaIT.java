package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Media URLs of clients through the real program: at providers that judge, fetch, refuse, pass. */
class RemoteMediaIT {
  private static final String GIF = "GIF89a......";
  private static final String METADATA = "https://169.254.169.254/latest/meta-data/";
  private static final LinkedBlockingQueue<String> SEEN = new LinkedBlockingQueue<>();
  private static LoopbackHttps host;
  private static GatewayProcess node;

  @BeforeAll
  static void start() throws Exception {
    host = LoopbackHttps.start(RemoteMediaIT::serve);
    SharedNode.scripted()
        .model(
            "seeing",
            (request, to) -> {
              SEEN.add(url(request));
              to.send(OpenAiWire.completion("fine"));
            });
    ConfigBuilder setup = ConfigBuilder.empty();
    for (String rule : List.of("judge", "fetch", "refuse", "pass")) {
      setup
          .provider(
              rule,
              Map.of(
                  "type",
                  "openai",
                  "base_url",
                  SharedNode.scripted().baseUrl(),
                  "quirks",
                  rule.equals("judge") ? Map.of() : Map.of("remote_media", rule)))
          .model("test/" + rule, rule, "seeing");
    }
    setup.model(
        "test/either",
        new ConfigBuilder.Route("refuse", "seeing"),
        new ConfigBuilder.Route("pass", "seeing"));
    setup.section(
        "security",
        Map.of(
            "ssrf",
            Map.of("ports", List.of(443, host.port()), "allow_cidrs", List.of("127.0.0.1/32"))));
    node = SharedNode.beside(setup, host.trusted());
  }

  @AfterAll
  static void stop() {
    node.close();
    host.close();
  }

  private static void serve(HttpExchange call) throws IOException {
    try (call) {
      if (call.getRequestURI().getPath().equals("/moved")) {
        call.getResponseHeaders().add("location", METADATA);
        call.sendResponseHeaders(302, -1);
      } else {
        call.sendResponseHeaders(200, GIF.length());
        call.getResponseBody().write(GIF.getBytes(ISO_8859_1));
      }
    }
  }

  private static String url(JsonNode request) {
    return request.at("/messages/0/content/0/image_url/url").asText();
  }

  private static RawResponse ask(String model, String url) {
    String body =
        """
        {"model":"test/%s","messages":[{"role":"user","content":[
          {"type":"image_url","image_url":{"url":"%s"}}]}]}"""
            .formatted(model, url);
    return post(ChatRequests.PATH, body);
  }

  private static RawResponse post(String path, String body) {
    try (RawClient client = node.connect()) {
      return client.post(path, body, SharedNode.authorization()).readResponse();
    }
  }

  private static void assertRefused(RawResponse reply, String code) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(ChatRequests.code(reply)).isEqualTo(code);
    assertThat(SEEN).isEmpty();
  }

  private static void assertSeen(RawResponse reply, String url) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(SEEN.poll()).isEqualTo(url);
    assertThat(SEEN).isEmpty();
  }

  private static String gif() {
    return "data:image/gif;base64," + Base64.getEncoder().encodeToString(GIF.getBytes(ISO_8859_1));
  }

  @Test
  void theMetadataServiceIsBlockedHoweverItIsWritten() {
    for (String model : List.of("judge", "fetch")) {
      for (String name :
          List.of(
              "169.254.169.254",
              "2852039166",
              "0xa9fea9fe",
              "0xa9.0xfe.0xa9.0xfe",
              "0251.0376.0251.0376",
              "[::ffff:169.254.169.254]",
              "[::ffff:a9fe:a9fe]",
              "metadata.google.internal",
              "localhost")) {
        assertRefused(ask(model, "https://" + name + "/latest/"), "ssrf_blocked");
      }
      assertRefused(ask(model, "http://169.254.169.254/latest/"), "validation_failed");
      assertRefused(ask(model, "file:///etc/passwd"), "validation_failed");
    }
  }

  @Test
  void whatMayBeCalledIsPassedOnOrFetched() {
    assertSeen(ask("judge", host.url() + "/cat.gif"), host.url() + "/cat.gif");
    assertSeen(ask("fetch", host.url() + "/cat.gif"), gif());
    assertSeen(ask("judge", gif()), gif());
    String input =
        """
        {"model":"test/fetch","input":[{"role":"user","content":[
          {"type":"input_image","image_url":"%s"}]}]}"""
            .formatted(host.url() + "/cat.gif");
    assertSeen(post("/v1/responses", input), gif());
  }

  @Test
  void aRedirectInsideIsBlocked() {
    assertRefused(ask("fetch", host.url() + "/moved"), "ssrf_blocked");
  }

  @Test
  void aProviderMayRefuseEveryUrlOrPassIt() {
    assertRefused(ask("refuse", host.url()), "validation_failed");
    assertSeen(ask("refuse", gif()), gif());
    assertSeen(ask("pass", METADATA), METADATA);
    assertSeen(ask("either", METADATA), METADATA);
  }
}
