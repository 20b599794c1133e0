package dev.tollgate.core.exchange.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PhaseTest {
  @ParameterizedTest
  @EnumSource
  void aPhaseLeadsWhereTheTableSaysAndNowhereElse(Phase from) {
    for (Phase to : Phase.values()) {
      if (from.next().contains(to)) {
        assertThat(from.to(to)).isEqualTo(to);
      } else {
        assertThatThrownBy(() -> from.to(to))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(from + " does not lead to " + to);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ENDED")
  void everyPhaseCanSettleAndBehindContentNoneGoesBackButToAContinuation(Phase from) {
    assertThat(from.next()).contains(from == Phase.SETTLING ? Phase.ENDED : Phase.SETTLING);
    if (from == Phase.RELAYING) {
      assertThat(from.next())
          .containsExactlyInAnyOrder(Phase.CONNECTING, Phase.DRAINING_UPSTREAM, Phase.SETTLING);
    } else if (from.compareTo(Phase.RELAYING) > 0) {
      assertThat(from.next())
          .doesNotContainAnyElementsOf(
              EnumSet.of(
                  Phase.ADMITTED,
                  Phase.RESERVING,
                  Phase.CONNECTING,
                  Phase.WAITING,
                  Phase.RELAYING));
    }
  }
}
