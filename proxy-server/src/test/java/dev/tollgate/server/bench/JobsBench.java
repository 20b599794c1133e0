package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.bench.OpenLoopClients.Figures;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Chats beside queued media jobs whose owners ask for them all the time: two gateways are asked for
 * chats at the same time, of which one has the jobs and the other nothing else to do, so that the
 * processors and the disk that jobs take are missed by both. Ends by itself.
 */
class JobsBench {
  private static final int JOBS = Integer.getInteger("bench.jobs", 10_000);
  private static final int POLLS = Integer.getInteger("bench.polls", 500);
  private static final int CHATS = Integer.getInteger("bench.chats", 100);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 15);
  private static final int WARM_UP_JOBS = Integer.getInteger("bench.warmup.jobs", 2_000);
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 4);
  private static final int ROUND_SECONDS = Integer.getInteger("bench.round.seconds", 2);
  private static final int LOADED_SECONDS = Integer.getInteger("bench.loaded.seconds", 100);
  private static final int CHAT_CONNECTIONS = 64;
  private static final double RATIO_MAX = 1.1;
  private static final Results RESULTS = Results.of("jobs");

  @TempDir private Path folder = Path.of("");

  /** A gateway. */
  private record Side(MeasuredProcess subject, Path home, URI base, String key)
      implements AutoCloseable {
    /** Asks for chats for one round, on connections of its own, and keeps what came of them. */
    Chats round(Chats into) throws InterruptedException {
      var address = new InetSocketAddress(base.getHost(), base.getPort());
      try (var chats = new OpenLoopClients(address, key, "bench/chat", CHAT_CONNECTIONS)) {
        Duration before = subject.cpu();
        Figures figures = chats.ask(CHATS, ROUND_SECONDS);
        into.cpuMicros.add(microsPerChat(before));
        figures.servedNanos.forEach(nanos -> into.millis.add(nanos / 1e6));
        into.left += figures.unsent + figures.shedNanos.size() + chats.broken();
        assertThat(figures.others).as("answers that are no streams").isEmpty();
        return into;
      }
    }

    private double microsPerChat(Duration before) {
      return subject.cpu().minus(before).toNanos() / 1e3 / CHATS / ROUND_SECONDS;
    }

    @Override
    public void close() {
      subject.close();
    }
  }

  /** What chats of one side saw, over some rounds. */
  private static final class Chats {
    final List<Double> millis = new ArrayList<>();
    final List<Double> cpuMicros = new ArrayList<>();
    int left;

    @Override
    public String toString() {
      if (millis.isEmpty()) {
        return "none";
      }
      return String.format(
          Locale.ROOT,
          "p50 %.2f ms, p99 %.2f ms, %.0f us of CPU (%d chats, %d more not sent or turned away)",
          Results.percentile(millis, 50),
          Results.percentile(millis, 99),
          Results.median(cpuMicros),
          millis.size(),
          left);
    }
  }

  @Test
  void chatsBesideJobs() throws Exception {
    try (MeasuredProcess mock =
        MeasuredProcess.start(
            folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0")) {
      String upstream = mock.awaitLine("(http://[0-9.:]+)");
      try (Side alone = side("alone", upstream);
          Side busy = side("busy", upstream);
          JobsLoad jobs = new JobsLoad(busy.base().getPort(), busy.key(), "job")) {
        warmUp(alone, busy);
        var aloneBefore = new Chats();
        var busyBefore = new Chats();
        measure(alone, busy, aloneBefore, busyBefore, ROUNDS);
        RESULTS.print("chats before there are jobs: one gateway " + aloneBefore);
        RESULTS.print("chats before there are jobs: the other " + busyBefore);
        double from = number(busy, "SELECT extract(epoch FROM now())");
        double seconds = jobs.submit(JOBS, "bench/video");
        jobs.poll(POLLS);
        RESULTS.print(String.format(Locale.ROOT, "%d jobs in %.1f s", JOBS, seconds));
        loaded(alone, busy);
        report(busy, jobs, from);
      }
    }
  }

  /** Until code is compiled: chats of both, and jobs and polls of the one that will have them. */
  private static void warmUp(Side alone, Side busy) throws Exception {
    try (var jobs = new JobsLoad(busy.base().getPort(), busy.key(), "warm")) {
      var _ = jobs.submit(WARM_UP_JOBS, "bench/video");
      jobs.poll(POLLS);
      measure(alone, busy, new Chats(), new Chats(), WARM_UP);
    }
    while (open(busy) > 0) {
      measure(alone, busy, new Chats(), new Chats(), 1);
    }
  }

  /** Of both at the same time: what holds the machine up holds up both. */
  private static void measure(Side alone, Side busy, Chats ofAlone, Chats ofBusy, int rounds)
      throws Exception {
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      for (int round = 0; round < rounds; round++) {
        Future<?> meanwhile = other.submit(() -> alone.round(ofAlone));
        busy.round(ofBusy);
        meanwhile.get();
      }
    }
  }

  /** Until no job waits any more, or the time is over. */
  private static void loaded(Side alone, Side busy) throws Exception {
    var ofAlone = new Chats();
    var ofBusy = new Chats();
    long began = System.nanoTime();
    int rounds = 0;
    do {
      rounds++;
      measure(alone, busy, ofAlone, ofBusy, 1);
    } while (open(busy) > 0
        && System.nanoTime() - began < Duration.ofSeconds(LOADED_SECONDS).toNanos());
    RESULTS.print("chats while there are jobs: gateway without them " + ofAlone);
    RESULTS.print("chats while there are jobs: gateway with them " + ofBusy);
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "with jobs to without: p50 %.3f, p99 %.3f, at most %.1f wanted (%d rounds of %d s"
                + " with %d chats/s of each; jobs and polls take %.2f processors of the gateway)",
            ratio(ofBusy, ofAlone, 50),
            ratio(ofBusy, ofAlone, 99),
            RATIO_MAX,
            rounds,
            ROUND_SECONDS,
            CHATS,
            (Results.median(ofBusy.cpuMicros) - Results.median(ofAlone.cpuMicros)) * CHATS / 1e6));
  }

  private static double ratio(Chats of, Chats to, int percent) {
    return Results.percentile(of.millis, percent) / Results.percentile(to.millis, percent);
  }

  /** Of the jobs that were submitted from a time of the store on. */
  private static void report(Side busy, JobsLoad jobs, double fromSeconds) throws Exception {
    String taken =
        " FROM media_job WHERE intent_at IS NOT NULL AND created_at >= to_timestamp(%f)"
            .formatted(fromSeconds);
    String waits =
        "SELECT percentile_cont(%s) WITHIN GROUP (ORDER BY extract(epoch FROM intent_at - created_at))";
    List<Double> polls = jobs.pollMillis();
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "queue wait p50 %.2f s, p99 %.2f s of %.0f jobs taken up; %.0f of %d over; "
                + "polls p50 %.2f ms, p99 %.2f ms of %d, %d refused",
            number(busy, waits.formatted("0.5") + taken),
            number(busy, waits.formatted("0.99") + taken),
            number(busy, "SELECT count(*)" + taken),
            JOBS - (double) open(busy),
            JOBS,
            Results.percentile(polls, 50),
            Results.percentile(polls, 99),
            polls.size(),
            jobs.refused().size()));
    assertThat(jobs.refused()).as("polls that were refused").isEmpty();
  }

  private static long open(Side side) throws Exception {
    return (long) number(side, "SELECT count(*) FROM media_job WHERE completed_at IS NULL");
  }

  /** Past the gateway. */
  private static double number(Side side, String sql) throws IOException, SQLException {
    Path postgres = side.home().resolve("data/postgres");
    String port = Files.readAllLines(postgres.resolve("cluster/postmaster.pid")).get(3).strip();
    String url = "jdbc:postgresql://127.0.0.1:" + port + "/postgres?currentSchema=tollgate";
    String password = Files.readString(postgres.resolve("password")).strip();
    try (Connection connection = DriverManager.getConnection(url, "tollgate", password);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getDouble(1);
    }
  }

  private Side side(String name, String upstream) throws Exception {
    Path home = Files.createDirectory(folder.resolve(name));
    Path config = home.resolve("bench.yaml");
    Files.writeString(
        config,
        """
        version: 1
        listeners:
          api: { address: 127.0.0.1:0 }
          control: { address: null }
          admin: { address: 127.0.0.1:0 }
        server: { shutdown: { delay: 0s } }
        telemetry: { access_log: { format: none } }
        store: { url: embedded, data_dir: ./data }
        object_storage: { directory: %s }
        media: { mock_provider: true }
        providers:
          bench: { type: openai, base_url: %s/v1, api_key: none }
        %s
        bootstrap: { organization: bench, credit: "1000000.00" }
        models:
          bench/chat:
            modality: chat
            capabilities: [streaming]
            price: { input: "0.15", output: "0.60" }
            routes: [{ provider: bench, model: "mock-chat?ttft=0ms&interval=0ms&chunks=8" }]
          bench/video:
            modality: video
            default_duration_seconds: 1
            price: { video_second: "0.001" }
            routes: [{ provider: bench, model: "mock-video?takes=1s" }]
        """
            .formatted(home.resolve("objects"), upstream, PlainGateway.NO_LIMITS));
    List<String> flags = List.of("-Xms512m", "-Xmx512m");
    MeasuredProcess process =
        MeasuredProcess.start(
            home.resolve("gateway.log"), flags, "serve", "--config", config.toString());
    URI base = URI.create(process.awaitLine("Tollgate serves (\\S+)"));
    String key = process.awaitLine("(sk-llm-[A-Za-z0-9]+)");
    return new Side(process, home, base, key);
  }
}
