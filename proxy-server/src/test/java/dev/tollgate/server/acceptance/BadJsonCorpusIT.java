package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every row of the JSON body corpus whose route exists, on a raw socket: the client gets the
 * specified error, and no provider is called.
 */
@Tag("corpus")
class BadJsonCorpusIT {
  private static final Set<String> ROUTES =
      Set.of(
          "POST /v1/chat/completions",
          "POST /v1/embeddings",
          "POST /v1/responses",
          "POST /v1/images/generations");

  record Row(String file, String route, int status, String code, String param) {
    @Override
    public String toString() {
      return file;
    }
  }

  static Stream<Row> rows() {
    return Corpora.rows("data/badjson.tsv").stream()
        .filter(cells -> ROUTES.contains(cells[1]))
        .map(cells -> new Row(cells[0], cells[1], Integer.parseInt(cells[2]), cells[3], cells[4]));
  }

  @AfterAll
  static void nothingIsLeftBehind() {
    SharedNode.node().admin().awaitIdle();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void verdict(Row row) {
    long before = SharedNode.node().admin().mock(SharedNode.COUNTED).requests();
    RawResponse response = post(row.route, Corpora.bytes("data/badjson/" + row.file));
    long asked = SharedNode.node().admin().mock(SharedNode.COUNTED).requests() - before;

    assertThat(response.status()).as(response.text()).isEqualTo(row.status);
    assertThat(asked).isEqualTo(row.status == 200 ? 1 : 0);
    assertThat(response.header("x-request-id")).startsWith("req_");
    if (row.status != 200) {
      JsonNode error = Json.tree(response.text()).path("error");
      assertThat(error.path("code").asText()).as(response.text()).isEqualTo(row.code);
      assertThat(error.path("param").asText("-")).as(response.text()).isEqualTo(row.param);
      assertThat(error.path("request_id").asText()).isEqualTo(response.header("x-request-id"));
      assertThat(response.header("x-should-retry")).isEqualTo("false");
      assertThat(response.header("x-llm-cost-micro")).isIn(null, "0");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "16.0, 200",
    "1e2, 200",
    "160e-1, 200",
    "16.5, 400",
    "1e400, 400",
    "-0.0, 400",
  })
  void anIntegerMayBeWrittenWithPointAndExponent(String maxTokens, int status) {
    String body =
        """
        {"model":"test/chat","max_tokens":%s,"messages":[{"role":"user","content":"Hello"}]}"""
            .formatted(maxTokens);
    RawResponse response = post("POST /v1/chat/completions", body.getBytes(ISO_8859_1));
    assertThat(response.status()).as(response.text()).isEqualTo(status);
    assertThat(response.text().contains("\"param\":\"max_tokens\"")).isEqualTo(status == 400);
  }

  private static RawResponse post(String route, byte[] body) {
    String head =
        """
        %s HTTP/1.1\r
        Host: localhost\r
        %s\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        """
            .formatted(route, SharedNode.authorization(), body.length);
    try (RawClient client = SharedNode.node().connect()) {
      return client.send(head.getBytes(ISO_8859_1)).send(body).readResponse();
    }
  }
}
