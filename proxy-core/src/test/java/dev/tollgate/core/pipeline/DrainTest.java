package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Drain of a node with connected clients. */
final class DrainTest {
  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void whatIsInWorkIsAnsweredAndIdleConnectionsEnd(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient idle = gateway.connect();
        RawClient busy = gateway.connect()) {
      String key = gateway.keys.authorization();
      assertThat(idle.get("/v1/models", key).readResponse().status()).isEqualTo(200);
      gateway.service.calls.clear();
      gateway.service.hold();
      busy.get("/v1/models", key);
      Call call = gateway.service.awaitCall();
      gateway.gateway.stopAccepting();
      var drained = gateway.gateway.closed().toCompletableFuture();
      assertThat(idle.readToEnd()).isEmpty();
      assertNoListener(gateway);
      assertThat(drained).isNotDone();
      call.answer(200, "{}");
      RawResponse response = busy.readResponse();
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("connection")).isEqualTo("close");
      assertThat(busy.readToEnd()).isEmpty();
      busy.halfClose();
      drained.get(10, TimeUnit.SECONDS);
      assertThat(call.cuts).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void whatGoesOnWithoutItsClientIsWaitedFor(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport)) {
      var goesOn = new CompletableFuture<Void>();
      gateway.service.unawaited = goesOn;
      gateway.gateway.stopAccepting();
      var drained = gateway.gateway.closed().toCompletableFuture();
      assertThat(drained).isNotDone();
      goesOn.complete(null);
      drained.get(10, TimeUnit.SECONDS);
    }
  }

  /**
   * NIO closes the socket a moment later; until then a connection is accepted by the kernel only,
   * which resets it when the socket closes.
   */
  private static void assertNoListener(TestGateway gateway) {
    while (true) {
      try (RawClient late = gateway.connect()) {
        assertThat(late.readToEnd()).isEmpty();
      } catch (UncheckedIOException gone) {
        if (gone.getCause() instanceof ConnectException) {
          return;
        }
        assertThat(gone).hasMessageContaining("Connection reset");
      }
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void repliesEndTheirConnectionsWhileTheListenerIsStillOpen(Transport transport) {
    try (TestGateway gateway = new TestGateway(transport)) {
      gateway.gateway.announceClose();
      try (RawClient client = gateway.connect()) {
        client.get("/v1/models", gateway.keys.authorization());
        assertThat(client.readResponse().header("connection")).isEqualTo("close");
        assertThat(client.readToEnd()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void whatDoesNotEndInTimeIsCutShort(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient streaming = gateway.connect();
        RawClient uploading = gateway.connect()) {
      String key = gateway.keys.authorization();
      gateway.service.hold();
      streaming.post("/v1/chat/completions", "{}", key);
      Call call = gateway.service.awaitCall();
      call.open();
      call.event("one");
      streaming.readUntil("data: one\n\n\r\n");
      uploading.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + key
              + "\r\nExpect: 100-continue\r\nContent-Length: 100000\r\n\r\n");
      uploading.readUntil("\r\n\r\n");
      gateway.gateway.stopAccepting();
      var drained = gateway.gateway.closed();
      gateway.gateway.cutShort();
      assertThat(streaming.readUntil("data: [DONE]\n\n")).contains("service_unavailable");
      RawResponse refused = uploading.readResponse();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.DRAINED);
      assertThat(gateway.inflightBytes.held()).isZero();
      drained.toCompletableFuture().get(10, TimeUnit.SECONDS);
      assertThat(gateway.gauges().byPhase().values()).containsOnly(0);
    }
  }
}
