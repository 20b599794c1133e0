package dev.tollgate.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.ManualPriorityLoop;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.upstream.LoopPools.LeaseRequest;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pools of connections to one provider on several loops. */
class PoolTest {
  private static final String HOST = "alpha.example";

  /** Ten connections on one loop, unless a test opens others. */
  private LoopPools loops = new LoopPools(1, 10, 10);

  private void open(int count, int connectionsMax, int pendingMax) {
    loops.close();
    loops = new LoopPools(count, connectionsMax, pendingMax);
  }

  @AfterEach
  void closeAndFindLeaks() {
    loops.close();
  }

  @Test
  void theCapHoldsOverAllLoops() {
    open(3, 2, 10);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(1);
    LeaseRequest third = loops.request(2);
    assertThat(first.isLeased() && second.isLeased()).isTrue();
    assertThat(third.outcome).isNull();
    assertThat(loops.gauge().open()).isEqualTo(2);
    assertThat(loops.gauge().pending()).isOne();

    first.drop();
    assertThat(third.isLeased()).as("the connection went to the loop that waited").isTrue();
    assertThat(third.lease().isReused()).isFalse();
    second.drop();
    third.drop();
  }

  @Test
  void aRequestIsRefusedAtOnceWhenTheQueueIsFull() {
    open(2, 1, 1);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(1);
    assertThat(loops.request(0).outcome).isEqualTo(new AcquisitionResult.PoolFull());
    first.drop();
    second.drop();
  }

  @Test
  void aWaiterGetsTheConnectionReturnedOnItsLoop() {
    open(1, 1, 10);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(0);
    LeaseRequest third = loops.request(0);
    first.serve(loops.link(0));
    assertThat(second.lease().isReused()).isTrue();
    assertThat(third.outcome).as("first come, first served").isNull();
    second.serve(loops.link(0));
    third.serve(loops.link(0));
    assertThat(loops.links()).isOne();
  }

  @Test
  void aConnectionReturnedOnAnotherLoopIsClosedForAWaiter() {
    open(2, 1, 10);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(1);
    first.serve(loops.link(0));
    assertThat(loops.link(0).isOpen()).isFalse();
    assertThat(second.isLeased()).isTrue();
    second.serve(loops.link(1));
    assertThat(loops.link(1).isOpen()).isTrue();
  }

  @Test
  void theLoopWithMostIdleConnectionsClosesItsOldest() {
    open(3, 3, 10);
    LeaseRequest one = loops.request(0);
    LeaseRequest two = loops.request(0);
    LeaseRequest other = loops.request(1);
    one.serve(loops.link(0));
    two.serve(loops.link(1));
    other.serve(loops.link(2));

    LeaseRequest third = loops.request(2);
    assertThat(third.isLeased()).isTrue();
    assertThat(loops.link(0).isOpen()).isFalse();
    assertThat(loops.link(1).isOpen() && loops.link(2).isOpen()).isTrue();
    third.drop();
  }

  @Test
  void theConnectionUsedLastIsReusedFirstAndTheOthersExpire() {
    LeaseRequest one = loops.request(0);
    LeaseRequest two = loops.request(0);
    one.serve(loops.link(0));
    loops.passMillis(20_000);
    two.serve(loops.link(1));
    loops.passMillis(9_000);
    assertThat(loops.link(0).isOpen()).isTrue();
    loops.passMillis(2_000);
    assertThat(loops.link(0).isOpen()).as("idle for 30 s").isFalse();

    LeaseRequest three = loops.request(0);
    assertThat(three.lease().isReused()).isTrue();
    loops.passMillis(60_000);
    three.serve(loops.link(1));
    loops.passMillis(29_000);
    assertThat(loops.link(1).isOpen()).isTrue();
    loops.passMillis(2_000);
    assertThat(loops.gauge().open()).isZero();
  }

  @Test
  void aRetiredEndpointClosesIdleConnectionsAtOnceAndOthersOnReturn() {
    LeaseRequest busy = loops.request(0);
    loops.request(0).serve(loops.link(1));
    loops.upstreams.retireAllBut(Set.of());
    loops.run();
    assertThat(loops.link(1).isOpen()).isFalse();
    assertThat(loops.link(0).isOpen()).isTrue();
    busy.serve(loops.link(0));
    assertThat(loops.link(0).isOpen()).isFalse();
  }

  @Test
  void anEndpointOfTheSnapshotKeepsItsConnections() {
    loops.request(0).serve(loops.link(0));
    loops.upstreams.retireAllBut(Set.of(loops.provider.endpoint()));
    loops.run();
    assertThat(loops.link(0).isOpen()).isTrue();
  }

  @Test
  void aConnectionReturnedWhileTheLoopWasBlockedIsNotTooLate() {
    open(1, 1, 10);
    try (var priorityLoop = new ManualPriorityLoop()) {
      LeaseRequest first = loops.request(0);
      LeaseRequest second = loops.request(0);
      ClientPriorityIoHandler.executeQueued(() -> first.serve(loops.link(0)));
      loops.passMillis(2_000);
      assertThat(second.outcome).isNull();
      priorityLoop.runAll();
      assertThat(second.lease().isReused()).isTrue();
      second.drop();
    }
  }

  @Test
  void theConnectTimeoutIncludesTheWaitForAConnection() {
    open(1, 1, 10);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(0);
    loops.passMillis(1_500);
    loops.connector.behavior(HOST, ConnectBehavior.NO_RESPONSE);
    first.drop();
    assertThat(loops.connector.timeouts().getLast()).isEqualTo(Duration.ofMillis(500));
    loops.passMillis(400);
    assertThat(second.outcome).isNull();
    loops.passMillis(100);
    assertThat(second.outcome).isEqualTo(new AcquisitionResult.TimedOut(ConnectFault.CONNECT));
    assertThat(loops.connector.pending()).as("the connect was canceled").isZero();
    assertThat(loops.gauge().open()).isZero();
  }

  @Test
  void aWaiterThatTimesOutLeavesTheQueue() {
    open(1, 1, 1);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(0);
    loops.passMillis(2_000);
    assertThat(second.outcome)
        .as("the gateway's own bound")
        .isEqualTo(new AcquisitionResult.PoolFull());
    assertThat(loops.gauge().pending()).isZero();
    LeaseRequest third = loops.request(0);
    assertThat(third.outcome).as("waits").isNull();
    first.drop();
    third.drop();
  }

  @Test
  void aCanceledWaiterLeavesTheQueue() {
    open(1, 1, 2);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(0);
    LeaseRequest third = loops.request(0);
    second.cancel();
    assertThat(loops.gauge().pending()).isOne();
    first.drop();
    assertThat(second.outcome).isNull();
    third.drop();
  }

  @Test
  void aRequestCanceledWhileConnectingFreesItsConnection() {
    open(1, 1, 10);
    loops.connector.behavior(HOST, ConnectBehavior.NO_RESPONSE);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(0);
    loops.connector.behavior(HOST, ConnectBehavior.ACCEPTS);
    first.cancel();
    assertThat(loops.connector.pending()).isZero();
    assertThat(first.outcome).isNull();
    second.drop();
  }

  @Test
  void aRefusedConnectionIsUnreachableAndDoesNotCount() {
    open(2, 1, 10);
    loops.connector.behavior(HOST, ConnectBehavior.NO_RESPONSE);
    LeaseRequest first = loops.request(0);
    LeaseRequest second = loops.request(1);
    loops.connector.behavior(HOST, ConnectBehavior.REFUSES);
    first.cancel();
    assertThat(second.outcome).isInstanceOf(AcquisitionResult.Unreachable.class);
    assertThat(loops.gauge().open()).isZero();
  }

  @Test
  void aConnectionThatClosesAsSoonAsItIsOpenIsUnreachable() {
    open(1, 1, 10);
    loops.connector.behavior(HOST, ConnectBehavior.CLOSES);
    assertThat(loops.request(0).outcome).isInstanceOf(AcquisitionResult.Unreachable.class);
    assertThat(loops.gauge().open()).isZero();
  }

  @Test
  void anIdleConnectionThatReceivesBytesOrEndsIsClosed() {
    LeaseRequest one = loops.request(0);
    LeaseRequest two = loops.request(0);
    LeaseRequest three = loops.request(0);
    one.serve(loops.link(0));
    two.serve(loops.link(1));
    three.serve(loops.link(2));
    loops.link(0).send("HTTP/1.1 408 Too late\r\nContent-Length: 0\r\n\r\n");
    loops.link(1).fin();
    loops.link(2).reset();
    assertThat(loops.gauge().open()).isZero();
    LeaseRequest next = loops.request(0);
    assertThat(next.lease().isReused()).isFalse();
    next.drop();
  }

  @Test
  void aRequestForAFreshConnectionClosesAnIdleOne() {
    open(1, 1, 10);
    loops.request(0).serve(loops.link(0));
    LeaseRequest fresh = loops.requestFresh(0);
    assertThat(fresh.lease().isReused()).isFalse();
    assertThat(loops.link(0).isOpen()).isFalse();
    fresh.drop();
  }

  @Test
  void aRequestThatRacesWithAReturnedConnectionIsServed() {
    open(2, 1, 10);
    LeaseRequest first = loops.request(0);
    List<LeaseRequest> others = new ArrayList<>();
    ProviderLink link = loops.link(0);
    first.serve(link, () -> link.onNextRead(() -> others.add(loops.request(1))));
    assertThat(others.getFirst().isLeased()).isTrue();
    assertThat(link.isOpen()).isFalse();
    others.getFirst().drop();
  }

  @Test
  void aRequestOfAnOldSnapshotDoesNotReviveAnEndpoint() {
    loops.request(0).serve(loops.link(0));
    loops.upstreams.retireAllBut(Set.of());
    loops.run();
    loops.request(0).serve(loops.link(1));
    assertThat(loops.link(1).isOpen()).as("no other request will use it").isFalse();
  }

  @Test
  void anEndpointThatANewSnapshotNamesAgainKeepsItsConnections() {
    loops.request(0).serve(loops.link(0));
    loops.upstreams.retireAllBut(Set.of());
    loops.run();
    loops.upstreams.retireAllBut(Set.of(loops.provider.endpoint()));
    loops.run();
    loops.request(0).serve(loops.link(1));
    assertThat(loops.link(1).isOpen()).isTrue();
  }

  @Test
  void aWaiterForAFreshConnectionGetsNoReusedOne() {
    open(1, 1, 10);
    LeaseRequest first = loops.request(0);
    LeaseRequest fresh = loops.requestFresh(0);
    LeaseRequest other = loops.request(0);
    first.serve(loops.link(0));
    assertThat(fresh.lease().isReused()).isFalse();
    fresh.serve(loops.link(1));
    assertThat(other.lease().isReused()).isTrue();
    other.drop();
  }
}
