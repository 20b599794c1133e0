package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.pipeline.LoadShedder.Verdict;
import dev.tollgate.server.metrics.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class LoadMonitorTest {
  private static final int MIN = 10;

  private final Metrics metrics = new Metrics();
  private final ManualClock clock = new ManualClock();
  private final Map<LoadSignal, Double> pressures = new EnumMap<>(LoadSignal.class);
  private final List<String> doors = new ArrayList<>();
  private final LoadMonitor.Rules rules =
      new LoadMonitor.Rules(true, 1000, MIN, Duration.ofMillis(20));
  private final Shedder shedder = new Shedder(metrics, rules);
  private final LoadMonitor watch =
      new LoadMonitor(metrics, rules, shedder, List.of(clock.loop()), signals(), recorded());

  @Test
  void withNothingScarceNothingIsShed() {
    busy();
    watch.sample();

    assertThat(shedder.judge(Endpoint.MODELS)).isEqualTo(Verdict.SERVE);
    assertThat(doors).isEmpty();
  }

  @Test
  void theWorstSignalCountsAndIsShown() throws IOException {
    busy();
    pressures.put(LoadSignal.INFLIGHT_BYTES, 0.8);
    pressures.put(LoadSignal.HEAP, 0.96);
    watch.sample();

    assertThat(shedder.judge(Endpoint.CHAT_COMPLETIONS)).isInstanceOf(Shed.class);
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_load_level 6.0",
            "tollgate_load_pressure{signal=\"heap\"} 0.96",
            "tollgate_load_pressure{signal=\"inflight_bytes\"} 0.8",
            "tollgate_load_pressure{signal=\"connections\"} 0.0");
  }

  /** A journal backlog and memory that runs out: row D12. */
  @ParameterizedTest
  @EnumSource(names = {"JOURNAL_BACKLOG", "DIRECT_MEMORY", "HEAP", "INFLIGHT_BYTES"})
  void whatANodeHasToHaveShedsNewWorkAtItsBoundAndNotBelow(LoadSignal signal) {
    busy();
    pressures.put(signal, 0.5);
    watch.sample();
    assertThat(shedder.judge(Endpoint.CHAT_COMPLETIONS)).isEqualTo(Verdict.SERVE);

    pressures.put(signal, 1.0);
    watch.sample();
    assertThat(shedder.judge(Endpoint.CHAT_COMPLETIONS)).isInstanceOf(Shed.class);
  }

  @Test
  void manyConnectionsCloseIdleOnesOnly() {
    busy();
    pressures.put(LoadSignal.CONNECTIONS, 1.0);
    watch.sample();

    assertThat(shedder.judge(Endpoint.MODELS)).isEqualTo(Verdict.SERVE);
    assertThat(doors).containsExactly("close idle");
  }

  @Test
  void aFullOffloadQueueStopsQueriesOnly() {
    busy();
    pressures.put(LoadSignal.OFFLOAD_QUEUE, 1.0);
    watch.sample();

    assertThat(shedder.judge(Endpoint.CREDITS)).isInstanceOf(Shed.class);
    assertThat(shedder.judge(Endpoint.CHAT_COMPLETIONS)).isEqualTo(Verdict.SERVE);
  }

  @Test
  void idleConnectionsAreClosedOnceASecond() {
    pressures.put(LoadSignal.CONNECTIONS, 0.75);
    for (int i = 0; i < 8; i++) {
      watch.sample();
    }

    assertThat(doors).containsExactly("close idle", "close idle");
  }

  @Test
  void acceptingStopsAndResumesWithMemory() {
    busy();
    pressures.put(LoadSignal.HEAP, 0.98);
    watch.sample();
    watch.sample();
    assertThat(doors).containsExactly("close idle", "pause");

    pressures.put(LoadSignal.HEAP, 0.1);
    for (int i = 0; i < 4; i++) {
      watch.sample();
    }
    assertThat(doors).containsExactly("close idle", "pause", "close idle", "resume");
  }

  /** Row D12: at the last level, also on a node with little work. */
  @Test
  void stalledStreamsAreResetWhileDirectMemoryIsShort() {
    pressures.put(LoadSignal.DIRECT_MEMORY, 1.06);
    watch.sample();
    assertThat(doors).isEqualTo(List.of("close idle"));

    pressures.put(LoadSignal.DIRECT_MEMORY, 1.09);
    watch.sample();
    watch.sample();
    assertThat(shedder.load().level()).isEqualTo(LoadLevel.STALLED_STREAMS);
    pressures.put(LoadSignal.DIRECT_MEMORY, 1.06);
    watch.sample();
    assertThat(shedder.load().level()).as("for a second").isEqualTo(LoadLevel.STALLED_STREAMS);
    assertThat(doors)
        .filteredOn(door -> door.startsWith("reset"))
        .containsExactly("reset 0.02", "reset 0.02");
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DIRECT_MEMORY")
  void onlyDirectMemoryEndsRunningRequests(LoadSignal signal) {
    busy();
    pressures.put(signal, 2.0);
    watch.sample();
    assertThat(shedder.load().level()).isLessThan(LoadLevel.STALLED_STREAMS);
    assertThat(doors).noneMatch(door -> door.startsWith("reset"));
  }

  @Test
  void aNodeWithLittleWorkKeepsAccepting() {
    pressures.put(LoadSignal.HEAP, 1.0);
    watch.sample();

    assertThat(doors).doesNotContain("pause");
    assertThat(shedder.judge(Endpoint.MODELS)).isEqualTo(Verdict.SERVE);
  }

  private void busy() {
    for (int i = 0; i < MIN; i++) {
      shedder.enter(Endpoint.CHAT_COMPLETIONS, new OrgId(new UUID(0, i)));
    }
  }

  private Map<LoadSignal, DoubleSupplier> signals() {
    Map<LoadSignal, DoubleSupplier> signals = new EnumMap<>(LoadSignal.class);
    for (LoadSignal signal : LoadSignal.values()) {
      pressures.put(signal, 0.0);
      signals.put(signal, () -> pressures.getOrDefault(signal, 0.0));
    }
    return signals;
  }

  private LoadMonitor.LoadActions recorded() {
    return new LoadMonitor.LoadActions() {
      @Override
      public void closeIdle() {
        doors.add("close idle");
      }

      @Override
      public void pauseAccepting() {
        doors.add("pause");
      }

      @Override
      public void resumeAccepting() {
        doors.add("resume");
      }

      @Override
      public void resetStalled(double share) {
        doors.add("reset %.2f".formatted(share));
      }
    };
  }
}
