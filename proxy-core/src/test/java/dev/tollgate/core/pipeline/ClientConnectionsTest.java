package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.PeerClose;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sequences of requests on a connection. */
final class ClientConnectionsTest {
  private final TestGateway gateway = new TestGateway(Transport.auto());
  private final String key = gateway.keys.authorization();

  @AfterEach
  void close() {
    gateway.close();
  }

  @Test
  void fiftyRequestsSentAtOnceAreAnsweredInOrder() throws Exception {
    gateway.service.script(call -> call.answer(200, "\"" + call.request.argument() + "\""));
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 50; i++) {
      all.append("GET /v1/models?" + i + " HTTP/1.1\r\nHost: a\r\n" + key + "\r\n\r\n");
    }
    try (RawClient client = gateway.connect().send(all.toString())) {
      for (int i = 0; i < 50; i++) {
        assertThat(client.readResponse().text()).isEqualTo("\"" + i + "\"");
      }
    }
  }

  @Test
  void aRequestSentDuringAStreamWaitsForItsEnd() throws Exception {
    gateway.service.hold();
    try (RawClient client = gateway.connect()) {
      client.post("/v1/chat/completions", "{}", key);
      Call stream = gateway.service.awaitCall();
      stream.open();
      client.readUntil("\r\n\r\n");
      client.get("/v1/models", key);
      stream.event("one");
      client.readUntil("data: one\n\n\r\n");
      assertThat(gateway.service.calls).isEmpty();
      stream.end();
      assertThat(client.readUntil("0\r\n\r\n")).isEqualTo("0\r\n\r\n");
      gateway.service.awaitCall().answer(200, "{}");
      assertThat(client.readResponse().status()).isEqualTo(200);
    }
  }

  @Test
  void anOldClientGetsItsStreamUntilTheEndOfTheConnection() throws Exception {
    gateway.service.script(
        call -> {
          call.open();
          call.event("one");
          call.end();
        });
    try (RawClient client = gateway.connect()) {
      client.send(
          "POST /v1/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\n"
              + "Connection: keep-alive\r\nContent-Length: 2\r\n"
              + key
              + "\r\n\r\n{}");
      assertThat(client.readUntil("\r\n\r\n"))
          .startsWith("HTTP/1.1 200 OK\r\n")
          .contains("Connection: close\r\n")
          .doesNotContainIgnoringCase("transfer-encoding");
      assertThat(new String(client.readToEnd(), UTF_8)).isEqualTo("data: one\n\n");
    }
  }

  private static final Fault CUT = Fault.of(ErrorCode.STREAM_INTERRUPTED, "It broke off.");

  @Test
  void bytesHaveTheTypeTheyCameWithAndAnEnd() {
    gateway.service.script(
        call -> {
          call.openBytes("audio/mpeg");
          call.bytes("ID3");
          call.bytes("...");
          call.end();
        });
    try (RawClient client = gateway.connect()) {
      for (int i = 0; i < 2; i++) {
        RawResponse speech = client.post("/v1/audio/speech", "{}", key).readResponse();
        assertThat(speech.header("content-type")).isEqualTo("audio/mpeg");
        assertThat(speech.header("x-accel-buffering")).isEqualTo("no");
        assertThat(speech.text()).isEqualTo("ID3...");
      }
    }
  }

  @Test
  void bytesThatBreakOffHaveNoEnd() throws Exception {
    gateway.service.script(
        call -> {
          call.openBytes("audio/mpeg");
          call.bytes("ID3");
          call.refuse(CUT);
        });
    try (RawClient client = gateway.connect()) {
      client.post("/v1/audio/speech", "{}", key);
      assertThat(client.readUntil("\r\n\r\n")).contains("transfer-encoding: chunked\r\n");
      assertThat(new String(client.readToEnd(), UTF_8)).isEqualTo("3\r\nID3\r\n");
    }
  }

  @Test
  void anOldClientSeesAResetWhereBytesBreakOff() {
    gateway.service.script(
        call -> {
          call.openBytes("audio/mpeg");
          call.bytes("ID3");
          call.refuse(CUT);
        });
    try (RawClient client = gateway.connect()) {
      client.send(
          "POST /v1/audio/speech HTTP/1.0\r\nContent-Type: application/json\r\n"
              + "Content-Length: 2\r\n"
              + key
              + "\r\n\r\n{}");
      assertThat(client.awaitClosed().how()).isEqualTo(PeerClose.How.RST);
    }
  }

  @Test
  void anOldClientMayKeepItsConnection() {
    try (RawClient client = gateway.connect()) {
      for (int i = 0; i < 2; i++) {
        client.send("GET /v1/models HTTP/1.0\r\nConnection: keep-alive\r\n" + key + "\r\n\r\n");
        assertThat(client.readResponse().header("connection")).isEqualTo("keep-alive");
      }
      client.send("GET /v1/models HTTP/1.0\r\n" + key + "\r\n\r\n");
      assertThat(client.readResponse().header("connection")).isEqualTo("close");
      assertThat(client.awaitClosed().how()).isEqualTo(PeerClose.How.FIN);
    }
  }

  @Test
  void aWaitingClientGetsContinueOnlyIfItsRequestIsAdmitted() throws Exception {
    try (RawClient client = gateway.connect()) {
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + "Expect: 100-continue\r\nContent-Length: 2\r\n"
              + key
              + "\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      assertThat(client.send("{}").readResponse().status()).isEqualTo(200);
      assertThat(gateway.service.awaitCall().body).isEqualTo("{}");
    }
  }

  @Test
  void aReplyToHeadHasNoBody() {
    try (RawClient client = gateway.connect()) {
      client.send("HEAD /v1/models HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(client.readHeadResponse().status()).isEqualTo(404);
      assertThat(client.get("/v1/models", key).readResponse().status()).isEqualTo(200);
    }
  }

  @Test
  void everyPhaseIsCountedAndLeftAgain() throws Exception {
    gateway.service.hold();
    try (RawClient client = gateway.connect()) {
      client.get("/v1/models", key);
      Call call = gateway.service.awaitCall();
      assertThat(gateway.gauges().open()).isEqualTo(1);
      assertThat(gateway.gauges().byPhase()).containsEntry("work", 1);
      call.answer(200, "{}");
      client.readResponse();
    }
    gateway.awaitNoConnection();
    GatewayGauges gauges = gateway.gauges();
    assertThat(gauges.open()).isZero();
    assertThat(gauges.accepted()).isEqualTo(1);
    assertThat(gauges.byPhase().values()).containsOnly(0);
  }
}
