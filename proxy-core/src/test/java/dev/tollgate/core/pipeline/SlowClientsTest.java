package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.pipeline.RequestProgress.Authenticated;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of clients that take their time, by a clock that stands still in between. */
final class SlowClientsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static final CacheResult.FinalResult UNKNOWN = new CacheResult.Unknown();

  private final FrozenClient client = new FrozenClient();

  @AfterEach
  void close() {
    client.channel.finishAndReleaseAll();
    assertThat(client.inflightBytes.held()).isZero();
    assertThat(client.connections.open()).isZero();
  }

  @Test
  void aConnectionThatNeverAsksIsClosed() {
    client.pass(Duration.ofMillis(9_999));
    assertThat(client.isOpen()).isTrue();
    client.pass(SECOND);
    assertThat(client.isOpen()).isFalse();
    assertThat(client.records).isEmpty();
  }

  @Test
  void aHeadThatDripsIsCutOffHoweverItDrips() {
    for (char c : "GET /v1/m".toCharArray()) {
      client.send(String.valueOf(c)).pass(SECOND);
      assertThat(client.isOpen()).isTrue();
    }
    client.send("o").pass(Duration.ofSeconds(2));
    assertThat(client.isOpen()).isFalse();
    assertThat(client.records)
        .singleElement()
        .satisfies(record -> assertThat(record.outcome()).isEqualTo(RequestOutcome.CLIENT_SLOW));
  }

  @Test
  void aBodyBelowOneKibibytePerSecondIsCutOff() {
    client.send(client.head("Content-Length: 100000"));
    for (int i = 0; i < 29; i++) {
      client.send("x").pass(SECOND);
      assertThat(client.isOpen()).isTrue();
    }
    client.pass(SECOND).pass(SECOND);
    assertThat(client.isOpen()).isFalse();
    assertThat(client.records)
        .singleElement()
        .satisfies(record -> assertThat(record.outcome()).isEqualTo(RequestOutcome.CLIENT_SLOW));
    assertThat(client.service.calls).isEmpty();
  }

  @Test
  void aBodyOfOneKibibytePerSecondArrives() {
    client.send(client.head("Content-Length: 102400"));
    for (int i = 0; i < 100; i++) {
      client.pass(SECOND).send("x".repeat(1024));
    }
    assertThat(client.received()).startsWith("HTTP/1.1 200 ");
    assertThat(client.service.calls).hasSize(1);
  }

  @Test
  void theBodyOfARequestSentAheadHasTheTimeOfABody() {
    client.service.hold();
    client.send(client.get() + client.head("Content-Length: 1000")).pass(Duration.ofSeconds(11));
    client.service.calls.remove().answer(200, "{}");
    assertThat(client.inflightBytes.held()).isEqualTo(1000);
    client.pass(Duration.ofSeconds(31));
    assertThat(client.isOpen()).isFalse();
    assertThat(client.inflightBytes.held()).isZero();
    assertThat(client.records)
        .singleElement()
        .satisfies(record -> assertThat(record.outcome()).isEqualTo(RequestOutcome.CLIENT_SLOW));
  }

  @Test
  void theHeadOfARequestSentAheadHasTheTimeOfAHead() {
    client.service.hold();
    client.send(client.get() + "GET /v1/mod").pass(Duration.ofSeconds(11));
    client.service.calls.remove().answer(200, "{}");
    client.pass(Duration.ofSeconds(9));
    assertThat(client.isOpen()).isTrue();
    client.pass(SECOND);
    assertThat(client.isOpen()).isFalse();
    assertThat(client.records)
        .singleElement()
        .satisfies(record -> assertThat(record.outcome()).isEqualTo(RequestOutcome.CLIENT_SLOW));
  }

  @Test
  void anIdleConnectionIsKeptAndClosedInTheEnd() {
    client.send(client.get());
    assertThat(client.received()).startsWith("HTTP/1.1 200 ");
    client.pass(Duration.ofSeconds(619));
    client.send(client.get());
    assertThat(client.received()).startsWith("HTTP/1.1 200 ");
    client.pass(Duration.ofSeconds(619));
    assertThat(client.isOpen()).isTrue();
    client.pass(SECOND);
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aConnectionWithoutAValidKeyIsKeptForTheTimeOfAHeadOnly() {
    for (String head : List.of("GET /nowhere", "GET /v1/models")) {
      client.pass(Duration.ofSeconds(9)).send(head + " HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(client.received()).startsWith("HTTP/1.1 40").doesNotContain("Connection: close");
    }
    client.pass(Duration.ofSeconds(9));
    assertThat(client.isOpen()).isTrue();
    client.pass(SECOND);
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aKeyThatIsLookedUpForLongDoesNotMakeItsConnectionStayForLong() throws Exception {
    client.keys.hold();
    client.send(
        "GET /v1/models HTTP/1.1\r\nHost: a\r\n" + client.keys.header(UNKNOWN) + "\r\n\r\n");
    client.pass(Duration.ofSeconds(29));
    client.keys.awaitLookup().run();
    client.channel.runPendingTasks();
    assertThat(client.received()).startsWith("HTTP/1.1 401 ").doesNotContain("Connection: close");
    client.pass(Duration.ofSeconds(9));
    assertThat(client.isOpen()).isTrue();
    client.pass(SECOND);
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aRequestInWorkHasNoDeadlineHere() {
    client.service.hold();
    client.send(client.get()).pass(Duration.ofHours(2)).pass(Duration.ofHours(2));
    assertThat(client.isOpen()).isTrue();
    client.service.calls.remove().answer(200, "{}");
    assertThat(client.received()).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aClientThatTakesNothingIsStalled() throws Exception {
    client.service.hold();
    client.send(client.get());
    var call = client.service.awaitCall();
    call.open();
    client.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    client.channel.runPendingTasks();
    assertThat(call.writability).containsExactly(false);
    client.pass(Duration.ofSeconds(59));
    assertThat(call.exits).isEmpty();
    client.pass(SECOND);
    assertThat(call.exits).containsExactly(DisconnectReason.STALLED);
    assertThat(client.isOpen()).isFalse();
    assertThat(client.records).isEmpty();
  }

  @Test
  void aClientThatTakesAgainIsNotStalled() throws Exception {
    client.service.hold();
    client.send(client.get());
    var call = client.service.awaitCall();
    call.open();
    var outbound = client.channel.unsafe().outboundBuffer();
    for (int i = 0; i < 5; i++) {
      outbound.setUserDefinedWritability(1, false);
      client.channel.runPendingTasks();
      client.pass(Duration.ofSeconds(40));
      outbound.setUserDefinedWritability(1, true);
      client.channel.runPendingTasks();
    }
    assertThat(call.exits).isEmpty();
    assertThat(client.isOpen()).isTrue();
    call.end();
  }

  @Test
  void whoSendsTooMuchAheadLosesTheConnectionBehindTheReply() throws Exception {
    client.service.hold();
    client.send(client.get());
    for (int i = 0; i < 10; i++) {
      client.send(client.get().repeat(64));
    }
    client.service.awaitCall().answer(200, "{}");
    assertThat(client.received()).contains("Connection: close\r\n");
    assertThat(client.service.calls).isEmpty();
    assertThat(client.isOpen()).isFalse(); // a channel without halves has no other way to end
  }

  @Test
  void whoDoesNotTakeItsReplyGetsNoOtherAndIsStalledInTheEnd() {
    var outbound = client.channel.unsafe().outboundBuffer();
    client.service.script(
        call -> {
          outbound.setUserDefinedWritability(1, false);
          call.answer(200, "{}");
        });
    client.send(client.get() + client.get() + client.get());
    assertThat(client.service.calls).hasSize(1);
    outbound.setUserDefinedWritability(1, true);
    client.channel.runPendingTasks();
    assertThat(client.service.calls).hasSize(2);
    client.pass(Duration.ofSeconds(59));
    assertThat(client.isOpen()).isTrue();
    client.pass(Duration.ofSeconds(16)); // the client is looked at every 15 seconds
    assertThat(client.isOpen()).isFalse();
    assertThat(client.service.calls).hasSize(2);
  }

  @Test
  void aReplyThatIsNotReadIsNotKeptForTheIdleTime() {
    client.send(client.get());
    client.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    client.channel.runPendingTasks();
    client.pass(Duration.ofSeconds(60));
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aBodyDroppedWhileTheNodeDrainsEndsTheConnection() {
    client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    assertThat(client.received()).startsWith("HTTP/1.1 404 ").doesNotContain("Connection: close");
    client.draining = true;
    client.send("0123456789");
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void aClientThatLeavesWithinAHeadIsRecorded() {
    client.send("GET /v1/mod");
    client.channel.close();
    assertThat(client.records)
        .singleElement()
        .satisfies(record -> assertThat(record.outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT));
  }

  @Test
  void aHeadThatTheDrainCutsShortIsRecordedAsSuch() {
    client.send("GET /v1/mod");
    client.channel.pipeline().fireUserEventTriggered(ConnectionEvent.CUT_SHORT);
    assertThat(client.isOpen()).isFalse();
    assertThat(client.records)
        .singleElement()
        .satisfies(record -> assertThat(record.outcome()).isEqualTo(RequestOutcome.DRAINED));
  }

  @Test
  void theConnectionKeepsNoBodyThatItHandedOver() {
    client.service.hold();
    client.send(client.head("Content-Length: 2") + "{}");
    assertThat(client.service.calls).hasSize(1);
    assertThat(client.conversation.get())
        .satisfies(inWork -> assertThat(inWork.progress()).isInstanceOf(Authenticated.class));
    client.service.calls.remove().answer(200, "{}");
  }

  @Test
  void oneConnectionTooManyIsClosedUnread() {
    client.send(client.get());
    assertThat(client.connections.tryAcquire()).isFalse();
    assertThat(client.connections.refused()).isEqualTo(1);
  }
}
