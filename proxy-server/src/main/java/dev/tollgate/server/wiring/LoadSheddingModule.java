package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.pipeline.Gateway;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.ops.LoadMonitor;
import dev.tollgate.server.ops.LoadSignal;
import dev.tollgate.server.ops.Memory;
import dev.tollgate.server.ops.Shedder;
import dev.tollgate.server.settings.ServerSettings;
import dev.tollgate.server.settings.Settings;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Wiring of load shedding: its rules from the configuration, and its signals from the parts of the
 * node.
 */
final class LoadSheddingModule {
  private final Settings settings;
  private final Metrics metrics;
  private final LoadMonitor.Rules rules;
  private final Shedder shedder;

  LoadSheddingModule(Settings settings, Metrics metrics) {
    ServerSettings server = settings.server();
    Runtime runtime = Runtime.getRuntime();
    this.settings = settings;
    this.metrics = metrics;
    this.rules =
        new LoadMonitor.Rules(
            server.overload().enabled(),
            server.requestsMaxOn(runtime.maxMemory()),
            server.requestsMinOn(server.eventLoops().countFor(runtime.availableProcessors())),
            server.overload().eventLoopDelay());
    this.shedder = new Shedder(metrics, rules);
  }

  Shedder shedder() {
    return shedder;
  }

  /** Sources of load signals besides the gateway. */
  record LoadSources(InflightBytes inflight, BoundedOffload offload, LongSupplier journalBacklog) {}

  /** Starts the monitor, which runs until it is closed. */
  LoadMonitor startMonitor(Network network, Gateway gateway, LoadSources sources) {
    var monitor =
        new LoadMonitor(
            metrics,
            rules,
            shedder,
            network.loops(),
            signals(network, gateway, sources),
            actions(gateway, settings.server().overload().directMemory()));
    monitor.start();
    return monitor;
  }

  private Map<LoadSignal, DoubleSupplier> signals(
      Network network, Gateway gateway, LoadSources sources) {
    var server = settings.server();
    var overload = server.overload();
    int connectionsMax = settings.listeners().api().connectionsMax();
    var memory = new Memory(network.allocator());
    Map<LoadSignal, DoubleSupplier> signals = new EnumMap<>(LoadSignal.class);
    signals.put(
        LoadSignal.CONNECTIONS, () -> gateway.provedConnections() / (double) connectionsMax);
    signals.put(
        LoadSignal.INFLIGHT_BYTES,
        () -> sources.inflight().held() / (double) sources.inflight().bytesMax());
    signals.put(LoadSignal.HEAP, () -> memory.heap() / overload.heap());
    signals.put(LoadSignal.DIRECT_MEMORY, () -> memory.direct() / overload.directMemory());
    signals.put(
        LoadSignal.JOURNAL_BACKLOG,
        () -> sources.journalBacklog().getAsLong() / (double) overload.journalBacklog());
    signals.put(
        LoadSignal.OFFLOAD_QUEUE,
        () -> sources.offload().depth() / (double) overload.offloadQueue());
    return signals;
  }

  private static LoadMonitor.LoadActions actions(Gateway gateway, double directMemory) {
    return new LoadMonitor.LoadActions() {
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
