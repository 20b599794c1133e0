package dev.tollgate.server.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.WebhookRequest;
import dev.tollgate.core.webhook.WebhookSecret;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The receiver in docs/webhooks.md compiles, accepts the gateway's signatures and no others. */
class WebhooksDocumentTest {
  private static final WebhookSecret SECRET = new WebhookSecret(new byte[32]);

  @Test
  void theReceiverOfTheTutorialVerifiesWhatWeSign(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("Receiver.java"), receiver());
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, folder.resolve("Receiver.java").toString());
    assertThat(failed).isZero();
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      Method isGenuine =
          loader
              .loadClass("Receiver")
              .getDeclaredMethod("isGenuine", byte[].class, String.class, String.class);
      isGenuine.setAccessible(true);
      WebhookRequest sent =
          WebhookRequest.of(due(), "{\"id\":\"ü\"}".getBytes(UTF_8), 1_764_000_000);
      String signature =
          sent.fields().stream()
              .filter(field -> field.name().equals("x-llm-signature"))
              .findAny()
              .orElseThrow()
              .value();
      String secret = SECRET.reveal();
      assertThat(isGenuine.invoke(null, sent.body(), signature, secret)).isEqualTo(true);
      byte[] forged = sent.body().clone();
      forged[forged.length - 3] ^= 1;
      assertThat(isGenuine.invoke(null, forged, signature, secret)).isEqualTo(false);
      assertThat(isGenuine.invoke(null, sent.body(), null, secret)).isEqualTo(false);
      String other = new WebhookSecret(new byte[33]).reveal();
      assertThat(isGenuine.invoke(null, sent.body(), signature, other)).isEqualTo(false);
    }
  }

  @Test
  void theDocumentOfTheApiNamesTheFieldsThatWeSend() throws IOException {
    var parameters =
        new ObjectMapper()
            .readTree(WebhooksDocumentTest.class.getResourceAsStream("/openapi.json"))
            .at("/webhooks/job/post/parameters");
    WebhookRequest sent = WebhookRequest.of(due(), new byte[] {'1'}, 5);
    assertThat(sent.fields().subList(1, sent.fields().size()))
        .zipSatisfy(
            parameters,
            (field, parameter) -> {
              assertThat(parameter.path("name").asText()).isEqualToIgnoringCase(field.name());
              String pattern = parameter.at("/schema/pattern").asText();
              assertThat(field.value()).matches(pattern.isEmpty() ? ".+" : pattern);
            });
  }

  private static ClaimedEvent due() {
    return new ClaimedEvent(
        UUID.randomUUID(),
        new OrgId(UUID.randomUUID()),
        UUID.randomUUID(),
        "job.failed",
        "https://hook.example/",
        new RequestId("req_01JADE"),
        1,
        1,
        Duration.ZERO,
        List.of(SECRET));
  }

  /** Returns the first block of code after its marker, without the indentation of its list. */
  private static String receiver() throws IOException {
    Path document = Path.of(System.getProperty("tollgate.root", ".."), "docs", "webhooks.md");
    List<String> lines = Files.readAllLines(document);
    int marker = lines.indexOf("   <!-- receiver -->");
    assertThat(marker).isNotNegative();
    return String.join(
        "\n",
        lines.stream()
            .skip(marker + 2L)
            .takeWhile(line -> !line.strip().equals("```"))
            .map(line -> line.isBlank() ? "" : line.substring(3))
            .toList());
  }
}
