package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.bench.OpenLoopClients.Figures;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three times the load that the gateway can carry, for as long as {@code bench.overload.seconds}:
 * what it serves meanwhile, how fast it turns the rest away, and whether its memory stays. What it
 * can carry is found first, in the same run: gateway, provider and clients share the machine.
 */
class OverloadBench {
  private static final long SECONDS = Long.getLong("bench.overload.seconds", 60);
  private static final int CONNECTIONS = Integer.getInteger("bench.overload.connections", 2_000);
  private static final String OVERLOAD = System.getProperty("bench.overload.settings", "");
  private static final String ADDRESS = "(http://[0-9.:]+)";
  private static final long STEP_SECONDS = 5;
  private static final double STEP = 1.15;
  private static final int STEPS_AGAIN = 12;
  private static final double NEXT_TO_MOST = 0.95;
  private static final double SHED_MICROS_MAX = 50;
  private static final double SHED_MILLIS_MAX = 20;

  /**
   * The heap has its full size from the start; what is left are its pages that were not touched.
   */
  private static final double RESIDENT_GROWTH_MAX = 1.1;

  private static final Results RESULTS = Results.of("overload");

  @TempDir private Path folder = Path.of("");

  @Test
  void threeTimesWhatItCanCarry() throws Exception {
    Cores.takeThoseOfOthers();
    try (MeasuredProcess provider = provider()) {
      String upstream = provider.awaitLine(ADDRESS);
      Files.writeString(
          folder.resolve("bench.yaml"), config(upstream, "overload: { " + OVERLOAD + " }"));
      try (MeasuredProcess gateway =
          MeasuredProcess.start(
              folder.resolve("gateway.log"),
              List.of("-Xms512m", "-Xmx512m"),
              "serve",
              "--config",
              folder.resolve("bench.yaml").toString())) {
        URI base = URI.create(gateway.awaitLine("Tollgate serves (\\S+)"));
        String key = gateway.awaitLine("(sk-llm-[A-Za-z0-9]+)");
        var address = new InetSocketAddress(base.getHost(), base.getPort());
        try (var clients = new OpenLoopClients(address, key, "bench/chat", CONNECTIONS);
            var probes = new LatencyProbes(base.getPort(), key, "bench/chat", 503);
            MeasuredProcess idle = provider();
            var others =
                new LatencyProbes(port(idle), "none", "mock-chat?ttft=0ms&chunks=1", 200)) {
          measure(gateway, provider, clients, new Seen(probes, others));
        }
      }
    }
  }

  @Test
  void anAnswerToWhoIsTurnedAwayCostsLittle() throws Exception {
    try (MeasuredProcess provider = provider()) {
      String upstream = provider.awaitLine(ADDRESS);
      var cost =
          ShedCost.measured(
              folder, config(upstream, "max_requests: 1, overload: { min_requests: 1 }"));
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "who is turned away costs the gateway %.1f us of CPU, of them %.1f us on its loops,"
                  + " at %.0f/s; %s",
              cost.micros(),
              cost.loopMicros(),
              cost.perSecond(),
              loadAverage()));
      assertThat(cost.micros()).isLessThan(SHED_MICROS_MAX);
    }
  }

  private MeasuredProcess provider() throws IOException {
    return MeasuredProcess.start(
        folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0");
  }

  private static int port(MeasuredProcess provider) throws IOException {
    return URI.create(provider.awaitLine(ADDRESS)).getPort();
  }

  /** Who is turned away, and who asks a process at the same time that has nothing else to do. */
  private record Seen(LatencyProbes turnedAway, LatencyProbes ofAnIdleProcess) {}

  private static String loadAverage() {
    return String.format(
        Locale.ROOT,
        "load average of the machine %.1f",
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static String config(String upstream, String server) {
    return """
    version: 1
    listeners:
      api: { address: 127.0.0.1:0, header_timeout: 10m, max_unproven_connections_per_address: 0 }
      control: { address: null }
      admin: { address: 127.0.0.1:%d }
    server: { %s }
    store: { url: embedded, data_dir: ./data }
    providers:
      bench: { type: openai, base_url: "%s/v1", api_key: none, pool: { max_connections: 4096 } }
    limits:
      global: { requests_per_second: 0 }
      org: { requests_per_second: 0, requests_per_minute: 0 }
      key: { concurrency: 0, requests_per_second: 0, requests_per_minute: 0 }
    bootstrap: { organization: bench, credit: "1000000.00" }
    models:
      bench/chat:
        modality: chat
        price: { input: "0.15", output: "0.60" }
        routes: [{ provider: bench, model: "mock-chat?ttft=50ms&interval=10ms&chunks=32" }]
      bench/endless:
        modality: chat
        price: { input: "0", output: "0" }
        routes: [{ provider: bench, model: "mock-chat?interval=1s&chunks=100000" }]
    """
        .formatted(AdminPort.PORT, server, upstream);
  }

  private static void measure(
      MeasuredProcess gateway, MeasuredProcess provider, OpenLoopClients clients, Seen seen)
      throws Exception {
    warmUp(clients);
    double bestRate = bestRate(gateway, clients);
    double peakBefore = servedAt(bestRate, gateway, clients);
    clients.ask(3 * peakBefore, 2 * STEP_SECONDS);
    long residentBefore = gateway.residentKib();
    double served = 0;
    List<Long> shedNanos = new ArrayList<>();
    List<Long> idleNanos = new ArrayList<>();
    var _ = seen.turnedAway().take();
    var _ = seen.ofAnIdleProcess().take();
    Duration gatewayFrom = gateway.cpu();
    Duration providerFrom = provider.cpu();
    long rounds = Math.max(1, SECONDS / STEP_SECONDS);
    for (long round = 0; round < rounds; round++) {
      Figures figures = clients.ask(3 * peakBefore, STEP_SECONDS);
      RESULTS.print(line("3 x", gateway, figures));
      served += figures.served / (double) STEP_SECONDS / rounds;
      shedNanos.addAll(seen.turnedAway().take());
      idleNanos.addAll(seen.ofAnIdleProcess().take());
    }
    double shedMillis = Figures.millis(shedNanos, 0.99);
    long residentBehind = gateway.residentKib();
    Duration gatewayCpu = gateway.cpu().minus(gatewayFrom);
    Duration providerCpu = provider.cpu().minus(providerFrom);
    double peakBehind = servedAt(bestRate, gateway, clients);
    double peak = (peakBefore + peakBehind) / 2;
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "peak %.0f/s before and %.0f/s behind, goodput at 3 x %.0f/s (%.0f %%), a shed answer p50 %.1f and p99 %.1f ms"
                + " (of %d that others saw), of an idle process p50 %.1f and p99 %.1f ms (%d),"
                + " cores of the gateway %.2f, of the provider %.2f,"
                + " resident %d MiB before and %d MiB behind; %s; %s",
            peakBefore,
            peakBehind,
            served,
            100 * served / peak,
            Figures.millis(shedNanos, 0.5),
            shedMillis,
            shedNanos.size(),
            Figures.millis(idleNanos, 0.5),
            Figures.millis(idleNanos, 0.99),
            idleNanos.size(),
            gatewayCpu.toNanos() / 1e9 / rounds / STEP_SECONDS,
            providerCpu.toNanos() / 1e9 / rounds / STEP_SECONDS,
            residentBefore / 1024,
            residentBehind / 1024,
            Cores.named(),
            loadAverage()));
    assertThat(clients.broken() + seen.turnedAway().broken()).isZero();
    assertThat(seen.ofAnIdleProcess().broken()).isZero();
    assertThat(served).isGreaterThan(0.9 * peak);
    assertThat(shedMillis).as("p99 of who is turned away").isLessThan(SHED_MILLIS_MAX);
    assertThat((double) residentBehind)
        .as("resident memory, in KiB")
        .isLessThan(RESIDENT_GROWTH_MAX * residentBefore);
  }

  private static void warmUp(OpenLoopClients clients) throws Exception {
    clients.ask(200, STEP_SECONDS);
    clients.ask(600, 4 * STEP_SECONDS);
    clients.ask(50, STEP_SECONDS);
  }

  /**
   * Raises the rate until what is served no longer follows; the lowest rate at which next to most
   * was served, for who is turned away meanwhile takes from the peak.
   */
  private static double bestRate(MeasuredProcess gateway, OpenLoopClients clients)
      throws Exception {
    NavigableMap<Double, Double> servedByRate = new TreeMap<>();
    double served;
    double rate = 300 / STEP;
    do {
      rate *= STEP;
      Figures figures = clients.ask(rate, STEP_SECONDS);
      RESULTS.print(line(String.format(Locale.ROOT, "%.0f/s", rate), gateway, figures));
      served = figures.served / (double) STEP_SECONDS;
      servedByRate.put(rate, served);
    } while (served >= 0.6 * rate);
    double most = Collections.max(servedByRate.values());
    return servedByRate.entrySet().stream()
        .filter(each -> each.getValue() >= NEXT_TO_MOST * most)
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  /** What is served of that rate: the best of many steps was a lucky one. */
  private static double servedAt(double rate, MeasuredProcess gateway, OpenLoopClients clients)
      throws Exception {
    clients.ask(rate, STEP_SECONDS); // behind three times as many, until the room has grown again
    double served = 0;
    for (int step = 0; step < STEPS_AGAIN; step++) {
      Figures figures = clients.ask(rate, STEP_SECONDS);
      RESULTS.print(line(String.format(Locale.ROOT, "again %.0f/s", rate), gateway, figures));
      served += figures.served / (double) STEP_SECONDS / STEPS_AGAIN;
    }
    return served;
  }

  private static String line(String rate, MeasuredProcess gateway, Figures figures)
      throws Exception {
    return String.format(
        Locale.ROOT,
        "%s: %.0f/s served (p50 %.0f, p99 %.0f ms), %.0f/s shed (p50 %.1f, p99 %.1f ms),"
            + " %d not sent, %d others %s; room %.0f of %.0f, wait %.1f ms, level %.0f",
        rate,
        figures.served / (double) STEP_SECONDS,
        Figures.millis(figures.servedNanos, 0.5),
        Figures.millis(figures.servedNanos, 0.99),
        figures.shedNanos.size() / (double) STEP_SECONDS,
        Figures.millis(figures.shedNanos, 0.5),
        Figures.millis(figures.shedNanos, 0.99),
        figures.unsent,
        figures.others.size(),
        figures.others.stream().findFirst().orElse(""),
        gateway.metric(AdminPort.URL, "tollgate_requests_admitted", ""),
        gateway.metric(AdminPort.URL, "tollgate_requests_max", ""),
        1e3 * gateway.metric(AdminPort.URL, "tollgate_event_loop_wait_seconds", ""),
        gateway.metric(AdminPort.URL, "tollgate_load_level", ""));
  }
}
