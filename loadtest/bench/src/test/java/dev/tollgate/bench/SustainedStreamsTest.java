package dev.tollgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Load of sustained streams, with a manual clock. */
class SustainedStreamsTest {
  private static final long SECOND = 1_000_000_000;

  private final Tally tally = new Tally();
  private int open;

  private boolean ask(long intendedNanos, long nowNanos) {
    open++;
    return true;
  }

  private void end(LoadSchedule load, long nowNanos) {
    open--;
    load.ended(nowNanos);
  }

  @Test
  void streamsBeginOneAfterAnotherAndAreReplacedUntilTheEnd() {
    SustainedStreams load = new SustainedStreams(10, 0, SECOND, 5 * SECOND, 2 * SECOND, tally);
    load.sendDue(this::ask, SECOND / 2);
    assertThat(open).isEqualTo(5);
    load.sendDue(this::ask, 2 * SECOND);
    assertThat(open).isEqualTo(10);

    end(load, 3 * SECOND);
    load.sendDue(this::ask, 3 * SECOND);
    assertThat(open).as("another begins").isEqualTo(10);
    assertThat(load.sustained()).isEqualTo(10);

    end(load, 6 * SECOND);
    load.sendDue(this::ask, 6 * SECOND);
    assertThat(open).as("none begins any more").isEqualTo(9);
    assertThat(load.isDone(7 * SECOND)).isFalse();
    assertThat(load.isDone(8 * SECOND)).as("the last ones are left").isTrue();
  }

  @Test
  void aStreamThatCannotBeReplacedIsCounted() {
    SustainedStreams load = new SustainedStreams(10, 0, SECOND, 5 * SECOND, 2 * SECOND, tally);
    load.sendDue(this::ask, 2 * SECOND);
    end(load, 3 * SECOND);
    load.sendDue((_, _) -> false, 3 * SECOND);
    load.sendDue(this::ask, 4 * SECOND);
    assertThat(open).isEqualTo(10);
    assertThat(load.sustained()).isEqualTo(9);
  }

  @Test
  void onlyAFailedStreamIsReplacedLater() {
    SustainedStreams load = new SustainedStreams(10, 0, SECOND, 5 * SECOND, 2 * SECOND, tally);
    load.sendDue(this::ask, 2 * SECOND);
    tally.failed(Failure.STATUS, 5);
    end(load, 3 * SECOND);
    end(load, 3 * SECOND);
    load.sendDue(this::ask, 3 * SECOND);
    assertThat(open).as("only the sound one is replaced").isEqualTo(9);
    load.sendDue(this::ask, 3 * SECOND + SustainedStreams.BACKOFF_NANOS - 1);
    assertThat(open).isEqualTo(9);
    load.sendDue(this::ask, 3 * SECOND + SustainedStreams.BACKOFF_NANOS);
    assertThat(open).isEqualTo(10);
    assertThat(load.sustained()).isEqualTo(9);
  }
}
