package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A response that the OpenAPI document does not describe fails the test that received it. */
final class ApiConformanceTest {
  private static final String ERROR =
      "{\"error\":{\"message\":\"No.\",\"type\":\"invalid_request_error\",\"param\":\"p\","
          + "\"code\":\"not_found\",\"request_id\":\"req_1\"}}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/v1/embeddings | 200 | application/json | {}",
        "/v1/chat/completions | 200 | application/json | {\"choices\":[]}",
        "/v1/responses | 200 | text/event-stream | data: {\"type\":7}\\n\\n",
        "/v1/chat/completions | 200 | text/event-stream | data: {\"choices\":7}\\n\\n",
        "/v1/embeddings | 400 | application/json | {\"error\":{\"message\":\"No.\"}}",
        "/v1/nothing | 404 | application/json | {}"
      })
  void oneThatTheDocumentDoesNotKnowIsSeen(String target, int status, String type, String body) {
    assertThatThrownBy(() -> ask(target, status, type, body.replace("\\n", "\n")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the API's document");
  }

  @Test
  @Tag("corpus")
  void oneThatDeviatesFromOpenAisDocumentUnlistedIsSeen() {
    String completion =
        "{\"id\":\"c\",\"object\":\"text_completion\",\"created\":1,\"model\":\"a/b\","
            + "\"provider\":\"p\",\"choices\":[{\"index\":0,\"text\":\"t\",\"logprobs\":null,"
            + "\"finish_reason\":\"stop\"}],\"system_fingerprint\":7,\"usage\":{\"prompt_tokens\":1,"
            + "\"completion_tokens\":1,\"total_tokens\":2,\"x_llm_cost_micro\":1}}";
    assertThatThrownBy(() -> ask("/v1/completions", 200, "application/json", completion))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("completion\tsystem_fingerprint\tis a number");
  }

  @Test
  void aDocumentedResponsePasses() throws IOException {
    assertThat(ask("/v1/nothing", 404, "application/json", ERROR).status()).isEqualTo(404);
  }

  private static RawResponse ask(String target, int status, String type, String body)
      throws IOException {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var client = RawClient.connect(server.getLocalPort()).watched(ApiConformance::require)) {
      client.post(target, "{}");
      try (Socket accepted = server.accept()) {
        String head = "HTTP/1.1 " + status + " Said\r\nContent-Type: " + type;
        String answer = head + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
        accepted.getOutputStream().write(answer.getBytes(ISO_8859_1));
        return client.readResponse();
      }
    }
  }
}
