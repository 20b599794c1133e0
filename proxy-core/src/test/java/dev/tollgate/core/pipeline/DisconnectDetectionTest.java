package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.pipeline.ScriptedService.Call;
import dev.tollgate.core.testkit.RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A disconnect by FIN, by half-close or by RST is noticed within 100 ms in each phase. */
final class DisconnectDetectionTest {
  private static final Duration SOON = Duration.ofMillis(100);

  enum Exit {
    FIN,
    HALF_CLOSE,
    RST;

    void of(RawClient client) {
      switch (this) {
        case FIN -> client.close();
        case HALF_CLOSE -> client.halfClose();
        case RST -> client.reset();
      }
    }
  }

  enum Moment {
    WAITING,
    STREAM_OPENED,
    MID_STREAM,
    WITH_A_REQUEST_SENT_AHEAD
  }

  record Case(Transport transport, Exit exit, Moment moment) {}

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Transport transport : TestGateway.transports()) {
      for (Exit exit : Exit.values()) {
        for (Moment moment : Moment.values()) {
          cases.add(new Case(transport, exit, moment));
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isNoticedSoon(Case given) throws Exception {
    try (TestGateway gateway = new TestGateway(given.transport)) {
      gateway.service.hold();
      String key = gateway.keys.authorization();
      RawClient client = gateway.connect().post("/v1/chat/completions", "{}", key);
      Call call = gateway.service.awaitCall();
      reach(given.moment, client, call, key);
      long leftAtNanos = System.nanoTime();
      given.exit.of(client);
      assertThat(call.awaitExit()).isEqualTo(DisconnectReason.ABORTED);
      assertThat(Duration.ofNanos(call.leftAtNanos - leftAtNanos)).isLessThan(SOON);
      client.close();
      assertThat(call.exits).isEmpty();
      assertThat(gateway.service.calls).isEmpty();
      assertThat(gateway.records).isEmpty(); // the exchange records what it has
    }
  }

  record EarlyCase(Transport transport, Exit exit, int bodyBytes) {}

  static List<EarlyCase> earlyCases() {
    List<EarlyCase> cases = new ArrayList<>();
    for (Transport transport : TestGateway.transports()) {
      for (Exit exit : Exit.values()) {
        for (int bodyBytes : new int[] {2, 10_000}) {
          cases.add(new EarlyCase(transport, exit, bodyBytes));
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("earlyCases")
  void isNoticedSoonWhileTheKeyIsLookedUp(EarlyCase given) throws Exception {
    try (TestGateway gateway = new TestGateway(given.transport)) {
      gateway.keys.hold();
      String body = "{" + " ".repeat(given.bodyBytes - 2) + "}";
      RawClient client =
          gateway.connect().post("/v1/chat/completions", body, gateway.keys.authorization());
      Runnable lookup = gateway.keys.awaitLookup();
      long leftAtNanos = System.nanoTime();
      given.exit.of(client);
      assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(Duration.ofNanos(System.nanoTime() - leftAtNanos)).isLessThan(SOON);
      client.close();
      gateway.awaitNoConnection();
      lookup.run();
      gateway.awaitNoConnection();
      assertThat(gateway.service.calls).isEmpty();
      assertThat(gateway.records).isEmpty();
      assertThat(gateway.inflightBytes.held()).isZero();
    }
  }

  private static void reach(Moment moment, RawClient client, Call call, String key) {
    switch (moment) {
      case WAITING -> {}
      case STREAM_OPENED -> {
        call.open();
        client.readUntil("\r\n\r\n");
      }
      case MID_STREAM -> {
        call.open();
        call.event("one");
        client.readUntil("data: one\n\n");
      }
      case WITH_A_REQUEST_SENT_AHEAD -> {
        client.get("/v1/models", key);
        call.open();
        client.readUntil("\r\n\r\n");
      }
    }
  }

  @ParameterizedTest
  @MethodSource(TestGateway.TRANSPORTS)
  void leavingWithinABodyIsRecordedOnceAndStartsNothing(Transport transport) throws Exception {
    try (TestGateway gateway = new TestGateway(transport)) {
      RawClient client = gateway.connect();
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + gateway.keys.authorization()
              + "\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100 ");
      assertThat(gateway.inflightBytes.held()).isEqualTo(100);
      client.send("{").close();
      var record = gateway.awaitRecord();
      assertThat(record.outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(record.status()).isZero();
      assertThat(record.route()).isEqualTo("/v1/chat/completions");
      assertThat(record.key()).isNotNull();
      gateway.awaitNoConnection();
      assertThat(gateway.inflightBytes.held()).isZero();
      assertThat(gateway.records).isEmpty();
      assertThat(gateway.service.calls).isEmpty();
    }
  }
}
