package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.Offload.Outcome;
import io.netty.util.concurrent.DefaultEventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BoundedOffloadTest {
  private static final long FAR = Long.MAX_VALUE / 2;

  private final BoundedOffload offload = new BoundedOffload(1, 2);
  private final DefaultEventExecutor loop = new DefaultEventExecutor();

  @AfterEach
  void close() {
    offload.close();
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void workRunsElsewhereAndCompletesOnTheCallersLoop() throws Exception {
    var completedOnLoop = new CompletableFuture<Boolean>();
    var workedOnLoop = new CompletableFuture<Boolean>();

    offload.run(
        loop,
        FAR,
        () -> workedOnLoop.complete(loop.inEventLoop()),
        outcome -> completedOnLoop.complete(loop.inEventLoop()));

    assertThat(within(completedOnLoop)).isTrue();
    assertThat(within(workedOnLoop)).isFalse();
  }

  @Test
  void aFailureReachesTheCallerEvenAnError() throws Exception {
    var error = new AssertionError("broken");
    var outcome = new CompletableFuture<Outcome<Object>>();

    offload.run(
        loop,
        FAR,
        () -> {
          throw error;
        },
        outcome::complete);

    assertThat(within(outcome)).isEqualTo(new Outcome.Failed<>(error));
  }

  @Test
  void aFullQueueRefusesAtOnce() throws Exception {
    var occupied = occupy();
    var waiting = List.of(submit(FAR), submit(FAR));
    assertThat(offload.depth()).isEqualTo(2);

    assertThat(within(submit(FAR))).isEqualTo(new Outcome.Refused<>("queue full"));
    assertThat(offload.refused()).isEqualTo(1);

    occupied.countDown();
    for (var task : waiting) {
      assertThat(within(task)).isEqualTo(new Outcome.Done<>("done"));
    }
    assertThat(offload.depth()).isZero();
  }

  @Test
  void workWhoseDeadlinePassedInTheQueueIsNotRun() throws Exception {
    var occupied = occupy();
    var clock = new ManualClock();
    List<Outcome<String>> outcomes = new ArrayList<>();
    offload.run(
        clock.loop(),
        clock.nanoTime() + Duration.ofSeconds(1).toNanos(),
        () -> "too late",
        outcomes::add);
    var behind = submit(FAR);

    clock.pass(Duration.ofSeconds(1));
    occupied.countDown();
    within(behind);
    clock.run();

    assertThat(outcomes).containsExactly(new Outcome.Refused<>("deadline passed in the queue"));
  }

  @Test
  void queuedWorkIsRefusedOnClose() throws Exception {
    var occupied = occupy();
    var waiting = submit(FAR);

    offload.close();

    assertThat(within(waiting)).isEqualTo(new Outcome.Refused<>("shutting down"));
    assertThat(within(submit(FAR))).isEqualTo(new Outcome.Refused<>("shutting down"));
    occupied.countDown();
  }

  @Test
  void aCallerWhoseLoopHasEndedIsDropped() throws Exception {
    var gone = new DefaultEventExecutor();
    gone.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    List<Outcome<String>> outcomes = new ArrayList<>();

    offload.run(gone, FAR, () -> "done", outcomes::add);

    assertThat(within(submit(FAR))).isEqualTo(new Outcome.Done<>("done"));
    assertThat(outcomes).isEmpty();
  }

  /** Blocks the only thread until the latch is released. */
  private CountDownLatch occupy() throws Exception {
    var begun = new CompletableFuture<Void>();
    var latch = new CountDownLatch(1);
    offload.run(
        loop,
        FAR,
        () -> {
          begun.complete(null);
          latch.await();
          return "occupied";
        },
        _ -> {});
    within(begun);
    return latch;
  }

  private CompletableFuture<Outcome<String>> submit(long deadlineNanos) {
    var outcome = new CompletableFuture<Outcome<String>>();
    offload.run(loop, deadlineNanos, () -> "done", outcome::complete);
    return outcome;
  }

  private static <T> T within(CompletableFuture<T> future)
      throws ExecutionException, InterruptedException, TimeoutException {
    return future.get(10, TimeUnit.SECONDS);
  }
}
