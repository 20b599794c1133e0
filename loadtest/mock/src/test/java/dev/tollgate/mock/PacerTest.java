package dev.tollgate.mock;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The wheel runs every task once, and none early. */
class PacerTest {
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = (EventLoop) group.next();
  private final Pacer pacer = new Pacer(loop);

  @AfterEach
  void end() {
    group.shutdownGracefully(0, 1, SECONDS).syncUninterruptibly();
  }

  @Test
  void everyTaskRunsOnceAndNotEarly() throws Exception {
    int count = 5_000;
    CountDownLatch woken = new CountDownLatch(count);
    AtomicInteger early = new AtomicInteger();
    Random random = new Random(1);
    loop.submit(
            () -> {
              for (int i = 0; i < count; i++) {
                long at = System.nanoTime() + random.nextInt(1_300_000_000);
                pacer.schedule(at, new Once(at, early, woken));
              }
            })
        .sync();
    assertThat(woken.await(20, SECONDS)).isTrue();
    assertThat(early).hasValue(0);
  }

  @Test
  void aCancelledTaskDoesNotRun() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch last = new CountDownLatch(1);
    loop.submit(
            () -> {
              long now = System.nanoTime();
              Once forgotten = new Once(now, new AtomicInteger(), first);
              pacer.schedule(now + 20_000_000, forgotten);
              pacer.schedule(now + 40_000_000, new Once(now, new AtomicInteger(), last));
              pacer.cancel(forgotten);
            })
        .sync();
    assertThat(last.await(20, SECONDS)).isTrue();
    assertThat(first.getCount()).isOne();
  }

  @Test
  void aTaskMayScheduleItselfAgain() throws Exception {
    CountDownLatch thrice = new CountDownLatch(3);
    List<Long> wakings = new ArrayList<>();
    Pacer.PacedTask again =
        new Pacer.PacedTask() {
          @Override
          void run() {
            wakings.add(System.nanoTime());
            thrice.countDown();
            if (thrice.getCount() > 0) {
              pacer.schedule(System.nanoTime() + 5_000_000, this);
            }
          }
        };
    loop.submit(() -> pacer.schedule(System.nanoTime(), again)).sync();
    assertThat(thrice.await(20, SECONDS)).isTrue();
    assertThat(wakings.getLast() - wakings.getFirst()).isGreaterThanOrEqualTo(10_000_000);
  }

  /** Counts its runs, and whether one was too early. */
  private static final class Once extends Pacer.PacedTask {
    private final long notBefore;
    private final AtomicInteger early;
    private final CountDownLatch woken;

    Once(long notBefore, AtomicInteger early, CountDownLatch woken) {
      this.notBefore = notBefore;
      this.early = early;
      this.woken = woken;
    }

    @Override
    void run() {
      if (System.nanoTime() < notBefore) {
        early.incrementAndGet();
      }
      woken.countDown();
    }
  }
}
