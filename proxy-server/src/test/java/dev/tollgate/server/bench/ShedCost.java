package dev.tollgate.server.bench;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What an answer to a request that is turned away costs a gateway: it has room for one, which a
 * stream without an end takes, so that it turns all others away, at a rate that it can bear.
 */
final class ShedCost {
  private static final int CONNECTIONS = 200;
  private static final double PER_SECOND = 2_000;
  private static final long SECONDS = 10;

  /**
   * One measurement.
   *
   * @param micros CPU time of the process for each answer, without what it uses at rest
   * @param loopMicros that of its event loops alone
   */
  record Cost(double micros, double loopMicros, double perSecond) {}

  private ShedCost() {}

  /** Starts a gateway in a folder with this configuration, in which {@code bench/endless} is. */
  static Cost measured(Path folder, String config) throws Exception {
    Files.writeString(folder.resolve("shed.yaml"), config);
    try (MeasuredProcess gateway =
        MeasuredProcess.start(
            folder.resolve("shed.log"),
            List.of("-Xms512m", "-Xmx512m"),
            "serve",
            "--config",
            folder.resolve("shed.yaml").toString())) {
      URI base = URI.create(gateway.awaitLine("Tollgate serves (\\S+)"));
      String key = gateway.awaitLine("(sk-llm-[A-Za-z0-9]+)");
      var address = new InetSocketAddress(base.getHost(), base.getPort());
      try (var endless = new StreamClients(address, key, "bench/endless");
          var clients = new OpenLoopClients(address, key, "bench/chat", CONNECTIONS)) {
        endless.open(1, true);
        while (gateway.metric(AdminPort.URL, "tollgate_requests_admitted", "") != 1) {
          Thread.onSpinWait();
        }
        clients.ask(3 * PER_SECOND, 2 * SECONDS); // the compiler's
        Duration restFrom = gateway.cpu();
        clients.ask(0, SECONDS);
        Duration rest = gateway.cpu().minus(restFrom);
        double loopsFrom = loopMillis(gateway);
        Duration from = gateway.cpu();
        OpenLoopClients.Figures figures = clients.ask(PER_SECOND, SECONDS);
        Duration spent = gateway.cpu().minus(from).minus(rest);
        int answers = figures.shedNanos.size();
        if (figures.served > 0 || answers < PER_SECOND * SECONDS / 2) {
          throw new IllegalStateException(figures.served + " served, " + answers + " turned away");
        }
        return new Cost(
            spent.toNanos() / 1e3 / answers,
            (loopMillis(gateway) - loopsFrom) * 1e3 / answers,
            answers / (double) SECONDS);
      }
    }
  }

  private static double loopMillis(MeasuredProcess gateway) throws Exception {
    return gateway.cpuByThread().entrySet().stream()
        .filter(each -> each.getKey().startsWith("loop"))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }
}
