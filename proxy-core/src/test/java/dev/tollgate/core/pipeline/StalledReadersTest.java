package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.RawClient;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that stops reading holds little, and loses its connection after a while. */
final class StalledReadersTest {
  private static final int EVENT_BYTES = 4096;

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void isToldOfAndClosed(Transport transport) throws Exception {
    try (TestGateway gateway =
            new TestGateway(transport, withWriteStall(Duration.ofMillis(300)), null);
        RawClient client = RawClient.connectNarrow(gateway.port, 4096)) {
      gateway.service.script(StalledReadersTest::sendWhileWritable);
      client.post("/v1/chat/completions", "{}", gateway.keys.authorization());
      Call call = gateway.service.awaitCall();
      assertThat(call.awaitExit()).isEqualTo(ClientExit.STALLED);
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

  private static GatewayOptions withWriteStall(Duration stall) {
    GatewayOptions usual = TestGateway.OPTIONS;
    return new GatewayOptions(
        usual.address(),
        false,
        CidrSet.NONE,
        usual.requestBytesMax(),
        usual.headerBytesMax(),
        usual.connectionsMax(),
        usual.headerTimeout(),
        usual.bodyTimeout(),
        stall,
        usual.idleTimeout(),
        null);
  }
}
