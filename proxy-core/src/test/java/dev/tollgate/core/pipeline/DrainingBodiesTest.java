package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A client that sends the whole of a large body before it reads receives its refusal. */
final class DrainingBodiesTest {
  private static final int MIB = 1024 * 1024;
  private static final String JSON =
      "POST /v1/chat/completions HTTP/1.1\r\nContent-Type: application/json\r\n";
  private static final String FORM =
      "POST /v1/images/edits HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n";

  /** Returns a body of {@code mib} MiB. */
  record Case(Transport transport, String head, int mib, boolean isChunked) {
    byte[] body() {
      return isChunked ? chunks(mib) : new byte[mib * MIB];
    }

    String framing() {
      return isChunked
          ? "Host: a\r\nTransfer-Encoding: chunked\r\n"
          : "Host: a\r\nContent-Length: " + mib * MIB + "\r\n";
    }
  }

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Transport transport : TestGateway.transports()) {
      cases.add(new Case(transport, JSON, 8, false));
      cases.add(new Case(transport, FORM, 24, false));
      cases.add(new Case(transport, JSON, 8, true));
      cases.add(new Case(transport, FORM, 24, true));
    }
    return cases;
  }

  private static byte[] chunks(int mib) {
    String chunk = "100000\r\n" + "x".repeat(MIB) + "\r\n";
    return (chunk.repeat(mib) + "0\r\n\r\n").getBytes(US_ASCII);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void whoSendsAllFirstReceivesItsRefusal(Case given) throws Exception {
    try (TestGateway gateway = new TestGateway(given.transport)) {
      gateway.load.verdict = new Shed(3);
      String head = given.head + given.framing() + gateway.keys.authorization() + "\r\n\r\n";
      try (RawClient client = gateway.connect()) {
        RawResponse response = client.send(head).send(given.body()).readResponse();
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.header("retry-after")).isEqualTo("3");
        assertThat(response.header("connection")).isEqualTo("close");
      }
      gateway.awaitNoConnection();
      assertThat(gateway.gauges().bodiesRead()).isZero();
      assertThat(gateway.gauges().bodiesUnread()).isZero();
      assertThat(gateway.inflightBytes.held()).isZero();
    }
  }

  @Test
  void aClientWhoseBodyFindsNoRoomReceivesItsRefusal() throws Exception {
    try (TestGateway gateway = new TestGateway(Transport.auto());
        RawClient client = gateway.connect()) {
      var rest = gateway.inflightBytes.tryAcquire(250L * MIB).orElseThrow();
      String head = "Host: a\r\nContent-Length: " + 8 * MIB + "\r\n";
      client.send(JSON + head + gateway.keys.authorization() + "\r\n\r\n");
      assertThat(client.send(new byte[8 * MIB]).readResponse().status()).isEqualTo(503);
      rest.end();
    }
  }

  /**
   * Reading stops after at most two periods of two seconds, but continues while the body arrives.
   */
  @Test
  void aClientThatStopsSendingKeepsNoSlot() throws Exception {
    try (TestGateway gateway = new TestGateway(Transport.auto());
        RawClient client = gateway.connect()) {
      gateway.load.verdict = new Shed(3);
      String head = "Host: a\r\nContent-Length: " + 8 * MIB + "\r\n";
      client.send(JSON + head + gateway.keys.authorization() + "\r\n\r\n");
      assertThat(client.send(new byte[MIB]).readResponse().status()).isEqualTo(503);
      gateway.awaitLoops();
      assertThat(gateway.gauges().bodiesRead()).isOne();
      gateway.awaitNoConnection();
      assertThat(gateway.gauges().bodiesRead()).isZero();
    }
  }

  @Test
  void theNumberOfBodiesReadAtOnceIsBounded() {
    var bodies = new DrainingBodies(MIB);
    for (int i = 0; i < DrainingBodies.CONNECTIONS_MAX; i++) {
      assertThat(bodies.tryAcquire()).isTrue();
    }
    assertThat(bodies.tryAcquire()).isFalse();
    assertThat(bodies.draining()).isEqualTo(DrainingBodies.CONNECTIONS_MAX);
    assertThat(bodies.unread()).isOne();
    bodies.release();
    assertThat(bodies.tryAcquire()).isTrue();
  }
}
