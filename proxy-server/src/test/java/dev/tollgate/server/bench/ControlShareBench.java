package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the control plane takes of a gateway under constant load: CPU time by groups of threads, as
 * shares of the process and for each request of {@code /v1}, and the heap that the event loops
 * allocate for each, while the control plane is idle and while it is called 50 times a second. Both
 * take turns in one run, so that what else the machine does falls on both.
 */
class ControlShareBench {
  private static final int REQUESTS_PER_SECOND = Integer.getInteger("bench.rate", 1_000);
  private static final int CALLS_PER_SECOND = Integer.getInteger("bench.calls", 50);
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 8);
  private static final int ROUND_SECONDS = Integer.getInteger("bench.seconds", 15);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 4);
  private static final int CLIENTS = 16;
  private static final int BATCHES_PER_SECOND = 20;
  private static final Results RESULTS = Results.of("control-share");

  @TempDir private Path folder = Path.of("");

  /** Groups of threads. */
  private enum Threads {
    /** Event loops of {@code /v1}. */
    LOOPS,
    /**
     * The control plane's event loop and connections, mails, and the carriers of virtual threads,
     * of which nearly all are its calls.
     */
    CONTROL,
    /** The projector of the request view. */
    REQUEST_VIEW,
    OTHERS;

    /** Returns the group of a thread by its name without digits. */
    static Threads of(String name) {
      return switch (name) {
        case "loop" -> LOOPS;
        case "requestview" -> REQUEST_VIEW;
        default -> isControl(name) ? CONTROL : OTHERS;
      };
    }

    private static boolean isControl(String name) {
      return name.startsWith("control")
          || name.startsWith("ForkJoinPool")
          || name.startsWith("VirtualThread")
          || name.endsWith("Poller")
          || name.equals("mailsender")
          || name.equals("password");
    }
  }

  /** The gateway under measurement, and what a request of {@code /v1} needs. */
  private record Target(MeasuredProcess gateway, InetSocketAddress address, String key) {}

  /** Figures of one round: CPU milliseconds by group, of the whole process, and heap bytes. */
  private record Round(Map<Threads, Double> cpuMillis, double wholeMillis, double loopBytes) {
    double share(Threads group) {
      return 100 * cpuMillis.getOrDefault(group, 0.0) / wholeMillis;
    }

    static double microsOfRequest(double millis) {
      return millis * 1e3 / (REQUESTS_PER_SECOND * ROUND_SECONDS);
    }

    double loopBytesOfRequest() {
      return loopBytes / (REQUESTS_PER_SECOND * ROUND_SECONDS);
    }
  }

  @Test
  void sharesOfTheControlPlane() throws Exception {
    try (MeasuredProcess mock =
            MeasuredProcess.start(
                folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0");
        MeasuredProcess gateway = gateway(mock.awaitLine("(http://[0-9.:]+)"))) {
      URI base = URI.create(gateway.awaitLine("Tollgate serves (\\S+)"));
      String key = gateway.awaitLine("(sk-llm-[A-Za-z0-9]+)");
      var target = new Target(gateway, new InetSocketAddress(base.getHost(), base.getPort()), key);
      try (var control = new ControlLoad(gateway.awaitLine("dashboard  (\\S+)"))) {
        for (int round = 0; round < WARM_UP; round++) {
          called(target, control);
        }
        List<Round> idle = new ArrayList<>();
        List<Round> called = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
          idle.add(kept("idle", round, round(target, control)));
          called.add(kept("called", round, called(target, control)));
        }
        report("idle", idle);
        report(CALLS_PER_SECOND + " calls a second", called);
        RESULTS.print("%d calls served, %d failed".formatted(control.served(), control.failed()));
        assertThat(control.failed()).isZero();
      }
    }
  }

  private MeasuredProcess gateway(String upstream) throws IOException {
    Path config = Files.writeString(folder.resolve("bench.yaml"), config(upstream));
    return MeasuredProcess.start(
        folder.resolve("gateway.log"),
        List.of("-Xms512m", "-Xmx512m"),
        "serve",
        "--config",
        config.toString());
  }

  private static String config(String upstream) {
    return """
    version: 1
    listeners:
      api: { address: 127.0.0.1:0 }
      control: { address: 127.0.0.1:0 }
      admin: { address: 127.0.0.1:%d }
    server: { shutdown: { delay: 0s } }
    telemetry: { access_log: { format: none } }
    control_plane: { rate: { per_second: 10000, per_minute: 600000 } }
    store: { url: embedded, data_dir: ./data }
    providers:
      bench: { type: openai, base_url: %s/v1, api_key: none }
    %s
    bootstrap: { organization: bench, credit: "1000000.00" }
    models:
      bench/plain:
        modality: chat
        price: { input: "0.15", output: "0.60" }
        routes: [{ provider: bench, model: "mock-chat?ttft=0ms&interval=0ms&chunks=32" }]
    """
        .formatted(AdminPort.PORT, upstream, PlainGateway.NO_LIMITS);
  }

  private static Round called(Target target, ControlLoad control) throws Exception {
    ScheduledFuture<?> calls = control.begin(CALLS_PER_SECOND);
    try {
      return round(target, control);
    } finally {
      boolean _ = calls.cancel(false);
      assertThat(calls.state()).isEqualTo(Future.State.CANCELLED);
    }
  }

  /** Sends the requests of one round in small batches, each at its time. */
  private static Round round(Target target, ControlLoad control) throws Exception {
    MeasuredProcess gateway = target.gateway();
    try (var clients =
        new PlainClients(target.address(), target.key(), "bench/plain", false, CLIENTS)) {
      Map<String, Double> before = gateway.cpuByThread();
      Duration wholeBefore = gateway.cpu();
      double bytesBefore = loopBytes(gateway);
      long beganNanos = System.nanoTime();
      for (int batch = 0; batch < BATCHES_PER_SECOND * ROUND_SECONDS; batch++) {
        long dueNanos = beganNanos + batch * (1_000_000_000L / BATCHES_PER_SECOND);
        control.awaitTime(dueNanos);
        clients.ask(REQUESTS_PER_SECOND / BATCHES_PER_SECOND);
      }
      double bytes = loopBytes(gateway) - bytesBefore;
      double wholeMillis = gateway.cpu().minus(wholeBefore).toNanos() / 1e6;
      Map<Threads, Double> spent = new EnumMap<>(Threads.class);
      gateway
          .cpuByThread()
          .forEach(
              (thread, millis) ->
                  spent.merge(
                      Threads.of(thread), millis - before.getOrDefault(thread, 0.0), Double::sum));
      assertThat(clients.refused()).isZero();
      return new Round(spent, wholeMillis, bytes);
    }
  }

  private static double loopBytes(MeasuredProcess gateway)
      throws IOException, InterruptedException {
    return gateway.metric(AdminPort.URL, "tollgate_allocated_bytes_total", "\"loop\"");
  }

  private static Round kept(String phase, int number, Round round) throws IOException {
    RESULTS.print("round " + number + ", " + phase + ": " + line(List.of(round)));
    return round;
  }

  private static void report(String phase, List<Round> rounds) throws IOException {
    RESULTS.print("%s, medians of %d rounds: %s".formatted(phase, rounds.size(), line(rounds)));
  }

  private static String line(List<Round> rounds) {
    String groups =
        List.of(Threads.values()).stream()
            .map(
                group ->
                    String.format(
                        Locale.ROOT,
                        "%s %.2f %% (%.2f us)",
                        group.name().toLowerCase(Locale.ROOT),
                        Results.median(rounds.stream().map(one -> one.share(group)).toList()),
                        Results.median(
                            rounds.stream()
                                .map(one -> one.cpuMillis().getOrDefault(group, 0.0))
                                .map(Round::microsOfRequest)
                                .toList())))
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%s; process %.2f us of CPU a request, loops allocate %.1f bytes a request (%.1f to %.1f)",
        groups,
        Results.median(
            rounds.stream().map(one -> Round.microsOfRequest(one.wholeMillis())).toList()),
        Results.median(rounds.stream().map(Round::loopBytesOfRequest).toList()),
        rounds.stream().mapToDouble(Round::loopBytesOfRequest).min().orElseThrow(),
        rounds.stream().mapToDouble(Round::loopBytesOfRequest).max().orElseThrow());
  }
}
