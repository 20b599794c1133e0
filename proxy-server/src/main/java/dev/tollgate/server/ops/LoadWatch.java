package dev.tollgate.server.ops;

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
 * Looks every 250 ms at what the node may run out of, tells the {@link Shedder} how to judge until
 * the next look, and closes idle connections, stops accepting or resets stalled streams where that
 * is due. One thread of its own, so that a node whose loops are held up still sheds.
 */
public final class LoadWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LoadWatch.class);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final int PROBES_PER_LOOK = 10;

  /** Closing what idles again and again at once would only find what was just closed. */
  private static final int LOOKS_BETWEEN_CLOSINGS = 4;

  private final Rules rules;
  private final Doors doors;
  private final LoopWait loops;
  private final RequestsLimit requestsMax;
  private final Shedder shedder;
  private final Map<LoadSignal, DoubleSupplier> signals;
  private final Map<LoadSignal, Hysteresis> levels = new EnumMap<>(LoadSignal.class);
  private final CountDownLatch stopping = new CountDownLatch(1);
  private volatile Map<String, Double> pressures = Map.of();
  private volatile Duration loopWait = Duration.ZERO;
  private boolean paused;
  private int looksUntilClosing;

  /**
   * What the configuration says.
   *
   * @param requestsMax requests in work at most
   * @param requestsMin requests in work below which none is turned away
   * @param loopWait how long loops may keep waiting what providers sent, on average
   */
  public record Rules(boolean enabled, int requestsMax, int requestsMin, Duration loopWait) {
    public Rules {
      requestsMin = Math.min(requestsMin, requestsMax);
    }

    /** A node of which nothing is known yet. Without shedding, only the bound itself counts. */
    Load calm() {
      return new Load(LoadLevel.CALM, requestsMax, enabled ? requestsMin : requestsMax);
    }
  }

  /** What a look may do beside judging requests. */
  public interface Doors {
    /** Closes connections that idle between requests. */
    void closeIdle();

    void pauseAccepting();

    void resumeAccepting();

    /**
     * Ends streams that stand still, the largest first, until they gave back so much of the bound
     * of {@link LoadSignal#DIRECT_MEMORY}.
     */
    void resetStalled(double share);
  }

  /**
   * @param signals how full each is, 1 at its bound; read on the watch's thread
   */
  public LoadWatch(
      Metrics metrics,
      Rules rules,
      Shedder shedder,
      Iterable<? extends EventExecutor> loops,
      Map<LoadSignal, DoubleSupplier> signals,
      Doors doors) {
    this.rules = rules;
    this.doors = doors;
    this.signals = Map.copyOf(signals);
    this.loops = new LoopWait(loops, Ticker.systemTicker()::nanoTime);
    this.requestsMax =
        new RequestsLimit(rules.requestsMin(), rules.requestsMax(), rules.loopWait());
    this.shedder = shedder;
    signals.keySet().forEach(signal -> levels.put(signal, new Hysteresis()));
    metrics.gauges(Family.LOAD_PRESSURE, () -> pressures);
    metrics.gauge(Family.LOOP_WAIT, () -> loopWait.toNanos() / 1e9);
  }

  /** Begins to look. */
  public void start() {
    Thread.ofPlatform().name("load").daemon().start(this::watch);
  }

  private void watch() {
    long between = LOOK.dividedBy(PROBES_PER_LOOK).toNanos();
    try {
      for (int i = 1; !stopping.await(between, TimeUnit.NANOSECONDS); i++) {
        loops.probe();
        if (i % PROBES_PER_LOOK == 0) {
          lookGuarded();
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void lookGuarded() {
    try {
      look();
    } catch (RuntimeException surprise) {
      log.error("the node's load is not known", surprise);
    }
  }

  /** One look; the watch's thread calls it every 250 ms. */
  void look() {
    Duration wait = loops.look();
    loopWait = wait;
    LoadLevel level = level();
    if (!rules.enabled()) {
      return;
    }
    int running = shedder.running();
    Load before = shedder.load();
    Load now = new Load(level, requestsMax.look(wait, running), rules.requestsMin());
    shedder.load(now);
    if (before.level() != level) {
      log.warn("load level {} after {}: {}", level, before.level(), pressures);
    }
    open(level, running);
    resetStalled();
  }

  /** Memory that is given back shows at the next look: no more than what is needed is taken. */
  private void resetStalled() {
    double pressure = pressures.getOrDefault(LoadSignal.DIRECT_MEMORY.label(), 0.0);
    double surplus = pressure - LoadLevel.STALLED_STREAMS.pressure();
    if (surplus >= 0) {
      log.warn("streams that stand still are reset: {}", pressures);
      doors.resetStalled(surplus);
    }
  }

  private LoadLevel level() {
    LoadLevel worst = LoadLevel.CALM;
    Map<String, Double> seen = new TreeMap<>();
    for (Map.Entry<LoadSignal, DoubleSupplier> signal : signals.entrySet()) {
      double pressure = signal.getValue().getAsDouble();
      seen.put(signal.getKey().label(), pressure);
      Hysteresis its = levels.get(signal.getKey());
      LoadLevel level = its == null ? LoadLevel.CALM : its.look(pressure);
      LoadLevel most = signal.getKey().most();
      LoadLevel counted = level.isAtLeast(most) ? most : level;
      worst = counted.isAtLeast(worst) ? counted : worst;
    }
    pressures = Map.copyOf(seen);
    return worst;
  }

  private void open(LoadLevel level, int running) {
    looksUntilClosing--;
    if (level.isAtLeast(LoadLevel.IDLE_CONNECTIONS) && looksUntilClosing <= 0) {
      looksUntilClosing = LOOKS_BETWEEN_CLOSINGS;
      doors.closeIdle();
    }
    boolean full = level.isAtLeast(LoadLevel.CONNECTIONS) && running >= rules.requestsMin();
    if (full != paused) {
      paused = full;
      if (full) {
        doors.pauseAccepting();
      } else {
        doors.resumeAccepting();
      }
    }
  }

  @Override
  public void close() {
    stopping.countDown();
  }
}
