package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint.Urgency;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class LoadStateTest {
  private static final int MAX = 1000;
  private static final int MIN = 64;

  @Test
  void lessUrgentRequestsAreShedFirst() {
    assertThat(shedAt(LoadLevel.CALM, 699)).isEmpty();
    assertThat(shedAt(LoadLevel.CALM, 700)).containsExactly(Urgency.LOOKUP);
    assertThat(shedAt(LoadLevel.CALM, 750)).containsExactly(Urgency.LOOKUP, Urgency.SUBMISSION);
    assertThat(shedAt(LoadLevel.CALM, 999))
        .containsExactly(Urgency.LOOKUP, Urgency.SUBMISSION, Urgency.BATCH);
    assertThat(shedAt(LoadLevel.CALM, MAX)).isEqualTo(EnumSet.allOf(Urgency.class));
  }

  @Test
  void theOrderIsTheSameForMemory() {
    assertThat(shedAt(LoadLevel.IDLE_CONNECTIONS, MIN)).isEmpty();
    assertThat(shedAt(LoadLevel.LOOKUPS, MIN)).containsExactly(Urgency.LOOKUP);
    assertThat(shedAt(LoadLevel.SUBMISSIONS, MIN))
        .containsExactly(Urgency.LOOKUP, Urgency.SUBMISSION);
    assertThat(shedAt(LoadLevel.ABOVE_SHARE, MIN))
        .containsExactly(Urgency.LOOKUP, Urgency.SUBMISSION, Urgency.BATCH);
    assertThat(shedAt(LoadLevel.INTERACTIVE, MIN)).isEqualTo(EnumSet.allOf(Urgency.class));
    assertThat(shedAt(LoadLevel.CONNECTIONS, MIN)).isEqualTo(EnumSet.allOf(Urgency.class));
  }

  @ParameterizedTest
  @EnumSource
  void aNodeWithLittleWorkShedsNothing(LoadLevel level) {
    assertThat(shedAt(level, MIN - 1)).isEmpty();
    assertThat(new LoadState(level, MIN, MIN).shedsAboveShare(MIN - 1, MIN - 1)).isFalse();
  }

  @Test
  void aScarceRoomIsSharedByQuarters() {
    LoadState load = new LoadState(LoadLevel.CALM, MAX, MIN);

    assertThat(load.shedsAboveShare(899, 899)).isFalse();
    assertThat(load.shedsAboveShare(900, 249)).isFalse();
    assertThat(load.shedsAboveShare(900, 250)).isTrue();
    assertThat(new LoadState(LoadLevel.ABOVE_SHARE, MAX, MIN).shedsAboveShare(300, 250)).isTrue();
    assertThat(new LoadState(LoadLevel.BATCH, MAX, MIN).shedsAboveShare(300, 250)).isFalse();
  }

  @Test
  void theFairShareIsAtLeastTheMinimum() {
    assertThat(new LoadState(LoadLevel.ABOVE_SHARE, 100, MIN).shedsAboveShare(99, MIN - 1))
        .isFalse();
    assertThat(new LoadState(LoadLevel.ABOVE_SHARE, 100, MIN).shedsAboveShare(99, MIN)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aLevelIsReachedAtItsPressureAndNoEarlier(LoadLevel level) {
    assertThat(LoadLevel.of(level.pressure())).isEqualTo(level);
    assertThat(LoadLevel.of(Math.nextDown(level.pressure())).isAtLeast(level))
        .isEqualTo(level == LoadLevel.CALM);
  }

  private static Set<Urgency> shedAt(LoadLevel level, int running) {
    LoadState load = new LoadState(level, MAX, MIN);
    return Arrays.stream(Urgency.values())
        .filter(urgency -> load.sheds(urgency, running))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(Urgency.class)));
  }
}
