package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.InflightBytes;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.ops.LoadSignal;
import dev.tollgate.server.ops.LoadWatch;
import dev.tollgate.server.ops.Memory;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.ops.Shedder;
import dev.tollgate.server.settings.ServerSettings;
import dev.tollgate.server.settings.Settings;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** What of this node's figures and settings its shedding of load goes by. */
final class Shedding {
  private final Settings settings;
  private final Metrics metrics;
  private final LoadWatch.Rules rules;
  private final Shedder shedder;

  Shedding(Settings settings, Metrics metrics) {
    ServerSettings server = settings.server();
    Runtime runtime = Runtime.getRuntime();
    this.settings = settings;
    this.metrics = metrics;
    this.rules =
        new LoadWatch.Rules(
            server.overload().enabled(),
            server.requestsMaxOn(runtime.maxMemory()),
            server.requestsMinOn(server.eventLoops().on(runtime.availableProcessors())),
            server.overload().loopWait());
    this.shedder = new Shedder(metrics, rules);
  }

  Shedder shedder() {
    return shedder;
  }

  /** What fills up, beside the gateway. */
  record Figures(InflightBytes inflight, BoundedOffload offload, LongSupplier journalBacklog) {}

  /** Looks at the figures from now on, until it is closed. */
  LoadWatch watch(Network network, Gateway gateway, Figures figures) {
    var watch =
        new LoadWatch(
            metrics,
            rules,
            shedder,
            network.loops(),
            signals(network, gateway, figures),
            doors(gateway, settings.server().overload().directMemory()));
    watch.start();
    return watch;
  }

  private Map<LoadSignal, DoubleSupplier> signals(
      Network network, Gateway gateway, Figures figures) {
    var server = settings.server();
    var overload = server.overload();
    int connectionsMax = settings.listeners().api().connectionsMax();
    var memory = new Memory(network.allocator());
    Map<LoadSignal, DoubleSupplier> signals = new EnumMap<>(LoadSignal.class);
    signals.put(LoadSignal.CONNECTIONS, () -> gateway.connections() / (double) connectionsMax);
    signals.put(
        LoadSignal.INFLIGHT_BYTES,
        () -> figures.inflight().held() / (double) figures.inflight().bytesMax());
    signals.put(LoadSignal.HEAP, () -> memory.heap() / overload.heap());
    signals.put(LoadSignal.DIRECT_MEMORY, () -> memory.direct() / overload.directMemory());
    signals.put(
        LoadSignal.JOURNAL_BACKLOG,
        () -> figures.journalBacklog().getAsLong() / (double) overload.journalBacklog());
    signals.put(
        LoadSignal.OFFLOAD_QUEUE,
        () -> figures.offload().depth() / (double) overload.offloadQueue());
    return signals;
  }

  private static LoadWatch.Doors doors(Gateway gateway, double directMemory) {
    return new LoadWatch.Doors() {
      @Override
      public void closeIdle() {
        gateway.closeIdle();
      }

      @Override
      public void pauseAccepting() {
        gateway.pauseAccepting();
      }

      @Override
      public void resumeAccepting() {
        gateway.resumeAccepting();
      }

      @Override
      public void resetStalled(double share) {
        gateway.resetStalled((long) (share * directMemory * Memory.directMax()) + 1);
      }
    };
  }
}
