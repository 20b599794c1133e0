package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.PeerClose;
import dev.tollgate.core.testkit.RawClient;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that stops reading holds little, and loses its connection after a while. */
final class StalledReadersTest {
  private static final int EVENT_BYTES = 4096;

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void isReportedAndClosed(Transport transport) throws Exception {
    try (TestGateway gateway =
            new TestGateway(transport, withWriteStall(Duration.ofMillis(300)), null);
        RawClient client = RawClient.connectNarrow(gateway.port, 4096)) {
      gateway.service.script(StalledReadersTest::sendWhileWritable);
      client.post("/v1/chat/completions", "{}", gateway.keys.authorization());
      Call call = gateway.service.awaitCall();
      assertThat(call.awaitExit()).isEqualTo(DisconnectReason.STALLED);
      gateway.awaitNoConnection();
    }
  }

  private static void sendWhileWritable(Call call) {
    call.open();
    for (int i = 0; call.downstream.isWritable(); i++) {
      assertThat(i).isLessThan(10_000);
      call.event("x".repeat(EVENT_BYTES));
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void goesOnWhenItReadsAgain(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient client = RawClient.connectNarrow(gateway.port, 4096)) {
      gateway.service.script(StalledReadersTest::sendWhileWritable);
      client.post("/v1/chat/completions", "{}", gateway.keys.authorization());
      Call call = gateway.service.awaitCall();
      call.scripted.await();
      while (!call.downstream.isWritable()) {
        client.readUntil("x".repeat(EVENT_BYTES));
      }
      call.end();
      client.readUntil("\r\n0\r\n\r\n");
      assertThat(call.writability).contains(true);
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void getsItsWholeStreamAlsoFromANodeThatDrains(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient client = RawClient.connectNarrow(gateway.port, 4096)) {
      gateway.service.script(
          call -> {
            sendWhileWritable(call);
            call.end();
          });
      client.post("/v1/chat/completions", "{}", gateway.keys.authorization());
      gateway.service.awaitCall().scripted.await();
      gateway.gateway.stopAccepting();
      assertThat(new String(client.readToEnd(), ISO_8859_1)).endsWith("\r\n0\r\n\r\n");
    }
  }

  /** Row D12: two stand still, the first of them holds more; a third has taken all so far. */
  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void theOneThatHoldsMostIsResetWhereMemoryRunsOut(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient small = RawClient.connectNarrow(gateway.port, 4096);
        RawClient large = RawClient.connectNarrow(gateway.port, 4096);
        RawClient reading = gateway.connect()) {
      Call most =
          stream(
              gateway,
              large,
              call -> {
                sendWhileWritable(call);
                call.event("x".repeat(1 << 20));
              });
      Call still = stream(gateway, small, StalledReadersTest::sendWhileWritable);
      Call moving = stream(gateway, reading, Call::open);

      gateway.awaitReset(1);
      assertThat(most.awaitExit()).isEqualTo(DisconnectReason.SHED);
      assertThat(large.awaitClosed().how()).isEqualTo(PeerClose.How.RST);
      assertThat(gateway.gauges().streamsReset()).isOne();
      assertThat(gateway.gauges().open()).isEqualTo(2);

      gateway.awaitReset(Long.MAX_VALUE);
      assertThat(still.awaitExit()).isEqualTo(DisconnectReason.SHED);
      gateway.gateway.resetStalled(Long.MAX_VALUE);
      gateway.awaitLoops();
      moving.end();
      reading.readUntil("\r\n0\r\n\r\n");
      assertThat(gateway.gauges().streamsReset()).isEqualTo(2);
    }
  }

  private static Call stream(TestGateway gateway, RawClient client, Consumer<Call> script)
      throws Exception {
    gateway.service.script(script);
    client.post("/v1/chat/completions", "{}", gateway.keys.authorization());
    Call call = gateway.service.awaitCall();
    call.scripted.await();
    return call;
  }

  private static GatewayOptions withWriteStall(Duration stall) {
    GatewayOptions usual = TestGateway.OPTIONS;
    return new GatewayOptions(
        usual.address(),
        false,
        CidrSet.NONE,
        usual.requestBytesMax(),
        usual.multipartBytesMax(),
        usual.headerBytesMax(),
        usual.connectionsMax(),
        usual.unprovenPerAddressMax(),
        usual.headerTimeout(),
        usual.bodyTimeout(),
        stall,
        usual.idleTimeout(),
        null,
        null);
  }
}
