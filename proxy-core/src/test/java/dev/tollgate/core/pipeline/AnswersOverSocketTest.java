package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.PeerClose;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes on the wire when requests are answered. */
final class AnswersOverSocketTest {
  private static final String CHAT = "/v1/chat/completions";

  private final TestGateway gateway = new TestGateway(Transport.auto());

  @AfterEach
  void close() {
    gateway.close();
  }

  @Test
  void aRequestIsAnsweredAndTheConnectionIsKept() throws Exception {
    String authorization = gateway.keys.authorization();
    try (RawClient client = gateway.connect()) {
      for (int i = 0; i < 3; i++) {
        RawResponse response =
            client
                .post(CHAT, "{\"n\":" + i + "}", authorization, "X-Request-Id: mine")
                .readResponse();
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo("{\"ok\":true}");
        ScriptedService.Call call = gateway.service.awaitCall();
        assertThat(call.body).isEqualTo("{\"n\":" + i + "}");
        assertThat(response.header("x-request-id")).isEqualTo(call.request.id().value());
        assertThat(response.header("x-client-request-id")).isEqualTo("mine");
      }
    }
    assertThat(gateway.inflightBytes.held()).isZero();
  }

  @Test
  void aStreamIsChunkedAndItsFailureComesInside() throws Exception {
    gateway.service.script(
        call -> {
          call.open();
          call.event("{\"a\":1}");
          call.event("x".repeat(10_000));
          call.refuse(Fault.of(ErrorCode.STREAM_INTERRUPTED, "gone"));
        });
    try (RawClient client = gateway.connect()) {
      RawResponse response = client.post(CHAT, "{}", gateway.keys.authorization()).readResponse();
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("content-type")).isEqualTo("text/event-stream; charset=utf-8");
      assertThat(response.header("transfer-encoding")).isEqualTo("chunked");
      assertThat(response.events()).hasSize(4);
      assertThat(response.events().get(2))
          .startsWith(
              "data: {\"error\":{\"type\":\"provider_error\",\"code\":\"stream_interrupted\"");
      assertThat(response.events().get(3)).isEqualTo("data: [DONE]");
      gateway.service.script(call -> call.answer(200, "{}"));
      assertThat(client.get("/v1/models", gateway.keys.authorization()).readResponse().status())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aStreamThatBrokeOffEndsWithItsErrorAndWithoutTheLastChunk(int minorVersion) {
    gateway.service.script(
        call -> {
          call.open();
          call.event("{\"a\":1}");
          call.breakOff(Fault.of(ErrorCode.STREAM_INTERRUPTED, "gone"));
        });
    try (RawClient client = gateway.connect()) {
      client.send(
          ("POST %s HTTP/1.%d\r\nHost: a\r\n%s\r\nContent-Type: application/json\r\n"
                  + "Content-Length: 2\r\n\r\n{}")
              .formatted(CHAT, minorVersion, gateway.keys.authorization()));
      String all = new String(client.readToEnd(), ISO_8859_1);
      assertThat(client.awaitClosed().how()).isEqualTo(PeerClose.How.FIN);
      assertThat(all)
          .contains("\"code\":\"stream_interrupted\"")
          .endsWith("data: [DONE]\n\n" + (minorVersion == 0 ? "" : "\r\n"));
    }
  }
}
