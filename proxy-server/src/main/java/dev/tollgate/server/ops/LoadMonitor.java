package dev.tollgate.server.ops;

import dev.tollgate.server.metrics.LoadFamily;
import dev.tollgate.server.metrics.Metrics;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that samples the load signals of the node every 250 ms and updates the {@link LoadState}
 * of the {@link Shedder}. If the level demands it, it closes idle connections, stops accepting or
 * resets stalled streams. Its own thread lets a node with busy event loops still shed.
 */
public final class LoadMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadMonitor.class);
  private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(250);
  private static final int PROBES_PER_SAMPLE = 10;

  /** Samples between two closings of idle connections; more often would find hardly any. */
  private static final int SAMPLES_BETWEEN_CLOSINGS = 4;

  private final Rules rules;
  private final LoadActions actions;
  private final EventLoopDelay loops;
  private final AdaptiveRequestLimit requestsMax;
  private final Shedder shedder;
  private final Map<LoadSignal, DoubleSupplier> signals;
  private final Map<LoadSignal, Hysteresis> levels = new EnumMap<>(LoadSignal.class);
  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile Map<String, Double> pressures = Map.of();
  private volatile Duration eventLoopDelay = Duration.ZERO;
  private boolean paused;
  private int samplesUntilClosing;

  /**
   * Configured bounds at which the monitor sheds load.
   *
   * @param requestsMax bound on running requests
   * @param requestsMin running requests below which none is refused
   * @param eventLoopDelay longest mean delay of provider events on a loop
   */
  public record Rules(boolean enabled, int requestsMax, int requestsMin, Duration eventLoopDelay) {
    public Rules {
      requestsMin = Math.min(requestsMin, requestsMax);
    }

    /**
     * Returns the state before the first sample. Without shedding, only the bound itself applies.
     */
    LoadState initialLoad() {
      return new LoadState(LoadLevel.CALM, requestsMax, enabled ? requestsMin : requestsMax);
    }
  }

  /** Actions on connections and streams that the monitor triggers at high load levels. */
  public interface LoadActions {
    /** Closes connections that idle between requests. */
    void closeIdle();

    void pauseAccepting();

    void resumeAccepting();

    /**
     * Resets stalled streams, the largest first, until they have released this share of the bound
     * of {@link LoadSignal#DIRECT_MEMORY}.
     */
    void resetStalled(double share);
  }

  /**
   * @param signals fill of each resource, 1 at its bound; read on the monitor's thread
   */
  public LoadMonitor(
      Metrics metrics,
      Rules rules,
      Shedder shedder,
      Iterable<? extends EventExecutor> loops,
      Map<LoadSignal, DoubleSupplier> signals,
      LoadActions actions) {
    this.rules = rules;
    this.actions = actions;
    this.signals = Map.copyOf(signals);
    this.loops = new EventLoopDelay(loops, Ticker.systemTicker()::nanoTime);
    this.requestsMax =
        new AdaptiveRequestLimit(rules.requestsMin(), rules.requestsMax(), rules.eventLoopDelay());
    this.shedder = shedder;
    signals.keySet().forEach(signal -> levels.put(signal, new Hysteresis()));
    metrics.gauges(LoadFamily.LOAD_PRESSURE, () -> pressures);
    metrics.gauge(LoadFamily.EVENT_LOOP_DELAY, () -> eventLoopDelay.toNanos() / 1e9);
  }

  /** Starts the thread. */
  public void start() {
    Thread.ofPlatform().name("load").daemon().start(this::watch);
  }

  private void watch() {
    long between = SAMPLE_INTERVAL.dividedBy(PROBES_PER_SAMPLE).toNanos();
    try {
      for (int i = 1; !stopping.await(between, TimeUnit.NANOSECONDS); i++) {
        loops.probe();
        if (i % PROBES_PER_SAMPLE == 0) {
          sampleSafely();
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void sampleSafely() {
    try {
      sample();
    } catch (RuntimeException unexpected) {
      LOG.error("sampling the node's load failed", unexpected);
    }
  }

  /** Takes one sample; called every 250 ms on the monitor's thread. */
  void sample() {
    Duration delay = loops.sample();
    eventLoopDelay = delay;
    LoadLevel level = level();
    if (!rules.enabled()) {
      return;
    }
    int running = shedder.running();
    LoadState before = shedder.load();
    LoadState now = new LoadState(level, requestsMax.update(delay, running), rules.requestsMin());
    shedder.load(now);
    if (before.level() != level) {
      LOG.warn("load level {} after {}: {}", level, before.level(), pressures);
    }
    applyLevel(level, running);
    resetStalled();
  }

  /** Released memory shows in the next sample, so each sample resets no more than needed. */
  private void resetStalled() {
    double pressure = pressures.getOrDefault(LoadSignal.DIRECT_MEMORY.label(), 0.0);
    double surplus = pressure - LoadLevel.STALLED_STREAMS.pressure();
    if (surplus >= 0) {
      LOG.warn("stalled streams are reset: {}", pressures);
      actions.resetStalled(surplus);
    }
  }

  private LoadLevel level() {
    LoadLevel worst = LoadLevel.CALM;
    Map<String, Double> sampled = new TreeMap<>();
    for (Map.Entry<LoadSignal, DoubleSupplier> signal : signals.entrySet()) {
      double pressure = signal.getValue().getAsDouble();
      sampled.put(signal.getKey().label(), pressure);
      Hysteresis hysteresis = levels.get(signal.getKey());
      LoadLevel level = hysteresis == null ? LoadLevel.CALM : hysteresis.update(pressure);
      LoadLevel cap = signal.getKey().levelMax();
      LoadLevel counted = level.isAtLeast(cap) ? cap : level;
      worst = counted.isAtLeast(worst) ? counted : worst;
    }
    pressures = Map.copyOf(sampled);
    return worst;
  }

  private void applyLevel(LoadLevel level, int running) {
    samplesUntilClosing--;
    if (level.isAtLeast(LoadLevel.IDLE_CONNECTIONS) && samplesUntilClosing <= 0) {
      samplesUntilClosing = SAMPLES_BETWEEN_CLOSINGS;
      actions.closeIdle();
    }
    boolean full = level.isAtLeast(LoadLevel.CONNECTIONS) && running >= rules.requestsMin();
    if (full != paused) {
      paused = full;
      if (full) {
        actions.pauseAccepting();
      } else {
        actions.resumeAccepting();
      }
    }
  }

  @Override
  public void close() {
    stopping.countDown();
  }
}
