package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timeouts of calls, with an event loop that is late: what it has yet to read counts. */
class CallTimeoutsTest {
  private static final Duration TIMEOUT = Duration.ofMillis(50);

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();
  private final CallTimeouts timeouts = new CallTimeouts(channel.eventLoop(), TIMEOUT);

  @AfterEach
  void end() {
    channel.finishAndReleaseAll();
  }

  @Test
  void anUnansweredCallEndsAtItsTimeout() {
    var call = new Call();
    round(49_999_999);
    round(1);
    assertThat(call.replies).as("an answer may be in the socket").isEmpty();

    round(1);
    assertThat(call.replies)
        .containsExactly(
            new RedisReply.Failed(RedisFailure.TIMEOUT, "Redis does not answer in time", 0));
    call.timed.answered(new RedisReply.Done(List.of()));
    assertThat(call.replies).as("once").hasSize(1);
  }

  @Test
  void aLateLoopReadsBeforeItExpiresCalls() {
    var answered = new Call();
    var unanswered = new Call();
    round(Duration.ofSeconds(2).toNanos());
    answered.timed.answered(new RedisReply.Done(List.of(1L))); // what the next round reads
    round(1);

    assertThat(answered.replies).containsExactly(new RedisReply.Done(List.of(1L)));
    assertThat(unanswered.replies).hasSize(1).hasOnlyElementsOfType(RedisReply.Failed.class);
  }

  @Test
  void aCallThatWasSentWhileOthersWereJudgedHasItsOwnTime() {
    var first = new Call();
    round(TIMEOUT.toNanos());
    var second = new Call();
    round(1);
    assertThat(first.replies).hasSize(1);
    assertThat(second.replies).isEmpty();

    round(TIMEOUT.toNanos() - 1);
    round(1);
    assertThat(second.replies).hasSize(1);
  }

  @Test
  void answeredCallsLeaveNoTimer() {
    for (int n = 0; n < 3; n++) {
      new Call().timed.answered(new RedisReply.Done(List.of()));
    }
    round(TIMEOUT.toNanos());
    assertThat(channel.runScheduledPendingTasks()).as("the time of the next task").isEqualTo(-1);
  }

  /** One round of the event loop, after a time. */
  private void round(long afterNanos) {
    ticker.advance(afterNanos, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
  }

  /** Call that was sent just now. */
  private final class Call {
    private final List<RedisReply> replies = new ArrayList<>();
    private final TimedCall timed = new TimedCall(replies::add);

    Call() {
      timeouts.watch(timed);
    }
  }
}
