package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.testkit.RawClient;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Array into which a body is collected: the only copy of the body. */
final class CollectedBodiesTest {
  private static final int MIB = 1024 * 1024;

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void aBodyOfKnownLengthHasAnArrayOfThisLength(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient client = gateway.connect()) {
      gateway.service.hold();
      for (int bytes : new int[] {2, 8191, 64 * 1024, 10 * MIB}) {
        String json = "{" + " ".repeat(bytes - 2) + "}";
        client.post("/v1/chat/completions", json, gateway.keys.authorization());
        var call = gateway.service.awaitCall();
        Body body = call.request.body();
        assertThat(body.bytes()).hasSize(bytes);
        assertThat(body.length()).isEqualTo(bytes);
        assertThat(call.body).isEqualTo(json);
        call.answer(200, "{}");
        assertThat(client.readResponse().status()).isEqualTo(200);
      }
    }
  }

  /** While an array is copied into a larger one, both are counted. */
  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void whatGrowsCountsTwiceForAMoment(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient client = gateway.connect()) {
      long free =
          12L * MIB; // 8 and 4 of them, but not 10 beside the 8 that have no room for the last
      // bytes
      var taken =
          gateway.inflightBytes.tryAcquire(gateway.inflightBytes.bytesMax() - free).orElseThrow();
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + gateway.keys.authorization()
              + "\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 8; i++) {
        client.send("100000\r\n" + " ".repeat(MIB) + "\r\n");
      }
      assertThat(client.readResponse().status()).isEqualTo(503);
      taken.end();
      assertThat(gateway.inflightBytes.held()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void aBodyOfUnknownLengthHasAnArrayOfAtMostTwiceItsLength(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport);
        RawClient client = gateway.connect()) {
      gateway.service.hold();
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + gateway.keys.authorization()
              + "\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 9; i++) {
        client.send("100000\r\n" + " ".repeat(MIB) + "\r\n");
      }
      client.send("0\r\n\r\n");
      Body body = gateway.service.awaitCall().request.body();
      assertThat(body.length()).isEqualTo(9 * MIB);
      assertThat(body.bytes()).hasSizeBetween(9 * MIB, 10 * MIB);
    }
  }
}
