package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tollgate.server.metrics.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** A blocked loop is shown in the log and the metrics (D11). */
final class LoopLagTest {
  private static final Offset<Double> TINY = within(1e-9);

  private final Metrics metrics = new Metrics();
  private final ManualClock calm = new ManualClock();
  private final ManualClock busy = new ManualClock();
  private final LoopLag lag = new LoopLag(metrics, List.of(calm.loop(), busy.loop()));

  @Test
  void aLoopInTimeHasNoLag() throws IOException {
    for (int i = 0; i < 10; i++) {
      calm.advance(LoopLag.INTERVAL);
    }

    assertThat(lag.maxima().get("0")).isZero();
    assertThat(metrics.scrape(null).text())
        .contains("tollgate_event_loop_lag_seconds_bucket{le=\"5.0E-4\"} 10");
  }

  @Test
  void aBlockedLoopShowsItsLag() throws IOException {
    busy.advance(LoopLag.INTERVAL.plusMillis(40));

    assertThat(lag.maxima().get("1")).isCloseTo(0.040, TINY);
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_event_loop_lag_seconds_bucket{le=\"0.02\"} 0",
            "tollgate_event_loop_lag_seconds_bucket{le=\"0.05\"} 1",
            "tollgate_event_loop_lag_max_seconds{loop=\"1\"} 0.04");
  }

  @Test
  void aBlockedLoopShowsBeforeItRunsAgain() {
    busy.pass(Duration.ofSeconds(3));

    assertThat(lag.maxima().get("1")).isCloseTo(2.75, TINY);
  }

  @Test
  void theMaximumIsForgottenWithinAMinute() {
    busy.advance(LoopLag.INTERVAL.plusMillis(40));
    for (int i = 0; i < 100; i++) {
      busy.advance(LoopLag.INTERVAL);
    }
    assertThat(lag.maxima().get("1")).isCloseTo(0.040, TINY);

    for (int i = 0; i < 150; i++) {
      busy.advance(LoopLag.INTERVAL);
    }
    assertThat(lag.maxima().get("1")).isZero();
  }

  @Test
  void aClosedProbeMeasuresNoMore() {
    lag.close();
    busy.advance(Duration.ofSeconds(3));

    assertThat(lag.maxima().get("1")).isZero();
  }
}
