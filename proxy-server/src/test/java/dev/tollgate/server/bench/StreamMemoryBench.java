package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What open streams cost: 1,000 clients that stop reading a stream of some MB, and 2,000 that read
 * a slow one for a minute. Gateway, provider and clients are three processes; heap and buffers are
 * read from the gateway after a garbage collection, as the difference to the same gateway warmed up
 * and at rest.
 */
class StreamMemoryBench {
  private static final int STALLED = Integer.getInteger("bench.stalled", 1_000);
  private static final int LIVE = Integer.getInteger("bench.live", 2_000);
  private static final int LIVE_SECONDS = Integer.getInteger("bench.live.seconds", 60);
  private static final int KIB = 1024;
  private static final Results RESULTS = Results.of("stream-memory");
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  @TempDir private Path folder = Path.of("");

  @Test
  void stalledReadersAndLiveStreams() throws Exception {
    try (MeasuredProcess provider =
        MeasuredProcess.start(
            folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0")) {
      String upstream = provider.awaitLine("(http://[0-9.:]+)");
      Files.writeString(folder.resolve("bench.yaml"), config(upstream));
      try (MeasuredProcess gateway =
          MeasuredProcess.start(
              folder.resolve("gateway.log"),
              List.of("-Xms512m", "-Xmx512m"),
              "serve",
              "--config",
              folder.resolve("bench.yaml").toString())) {
        measure(gateway);
      }
    }
  }

  private static String config(String upstream) {
    String model =
        """
          bench/%s:
            modality: chat
            price: { input: "0.15", output: "0.60" }
            routes: [{ provider: bench, model: "%s" }]
        """;
    return """
        version: 1
        listeners:
          api: { address: 127.0.0.1:0, write_stall: 30m }
          control: { address: null }
          admin: { address: 127.0.0.1:%d }
        store: { url: embedded, data_dir: ./data }
        providers:
          bench:
            type: openai
            base_url: %s
            api_key: none
            pool: { max_connections: 4096 }
        limits: { global: { requests_per_second: 0 }, org: { requests_per_second: 0, requests_per_minute: 0 }, key: { requests_per_second: 0, requests_per_minute: 0, concurrency: 0 } }
        bootstrap: { organization: bench, credit: "10.00" }
        models:
        """
            .formatted(AdminPort.PORT, upstream.endsWith("/v1") ? upstream : upstream + "/v1")
        + model.formatted("short", "mock-chat?ttft=0ms&interval=0ms&chunks=64")
        + model.formatted("stalled", "mock-chat?ttft=0ms&interval=0ms&chunks=40000")
        + model.formatted("live", "mock-chat?ttft=100ms&interval=500ms&chunks=100000");
  }

  private void measure(MeasuredProcess gateway) throws Exception {
    URI base = URI.create(gateway.awaitLine("Tollgate serves (\\S+)"));
    String key = gateway.awaitLine("(sk-llm-[A-Za-z0-9]+)");
    var address = new InetSocketAddress(base.getHost(), base.getPort());
    warmUp(address, key);
    Memory rest = settled(gateway);

    Memory stalled;
    try (var clients = new StreamClients(address, key, "bench/stalled")) {
      clients.open(STALLED, false);
      awaitInFlight(gateway, STALLED);
      stalled = settled(gateway);
      try (var others = new StreamClients(address, key, "bench/short")) {
        long start = System.nanoTime();
        others.open(100, true);
        awaitEnded(others, 100);
        RESULTS.print(
            "100 other streams beside " + STALLED + " stalled ones took " + since(start) + " ms");
      }
    }
    report("stalled reader", rest, stalled, STALLED);
    awaitInFlight(gateway, 0);

    Memory live;
    try (var clients = new StreamClients(address, key, "bench/live")) {
      clients.open(LIVE, true);
      awaitInFlight(gateway, LIVE);
      Duration before = gateway.cpu();
      long start = System.nanoTime();
      pause(LIVE_SECONDS);
      double cores = (double) gateway.cpu().minus(before).toNanos() / (System.nanoTime() - start);
      live = settled(gateway);
      assertThat(clients.ended()).isZero();
      RESULTS.print(
          LIVE
              + " live streams: "
              + Math.round(cores * 100) / 100.0
              + " cores, "
              + gateway.residentKib() / KIB
              + " MiB resident");
    }
    report("live stream", rest, live, LIVE);

    assertThat(perStream(rest, stalled, STALLED))
        .as("bytes per stalled reader")
        .isLessThan(64 * KIB);
    assertThat((live.heap() - rest.heap()) / LIVE).as("heap per live stream").isLessThan(16 * KIB);
  }

  private record Memory(double heap, double buffers) {}

  private static double perStream(Memory rest, Memory loaded, int streams) {
    return (loaded.heap() - rest.heap() + loaded.buffers() - rest.buffers()) / streams;
  }

  private static void report(String what, Memory rest, Memory loaded, int streams)
      throws IOException {
    RESULTS.print(
        what
            + ": heap "
            + tenth((loaded.heap() - rest.heap()) / streams / KIB)
            + " KiB, buffers "
            + tenth((loaded.buffers() - rest.buffers()) / streams / KIB)
            + " KiB, together "
            + tenth(perStream(rest, loaded, streams) / KIB)
            + " KiB each, "
            + streams
            + " of them");
  }

  private static double tenth(double value) {
    return Math.round(value * 10) / 10.0;
  }

  private static void warmUp(InetSocketAddress address, String key) throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      try (var clients = new StreamClients(address, key, "bench/short")) {
        clients.open(100, true);
        awaitEnded(clients, 100);
      }
    }
  }

  /** Memory once it stands still: what is in flight has arrived, what is garbage is gone. */
  private static Memory settled(MeasuredProcess gateway) throws Exception {
    Memory last = read(gateway);
    while (true) {
      pause(2);
      Memory now = read(gateway);
      if (Math.abs(now.heap() - last.heap()) < 1 << 20 && now.buffers() == last.buffers()) {
        return now;
      }
      last = now;
    }
  }

  private static Memory read(MeasuredProcess gateway) throws Exception {
    gateway.collectGarbage();
    return new Memory(
        gateway.metric(AdminPort.URL, "jvm_memory_used_bytes", "heap\""),
        gateway.metric(AdminPort.URL, "tollgate_buffer_bytes", ""));
  }

  private static void awaitInFlight(MeasuredProcess gateway, int count) throws Exception {
    while (gateway.metric(AdminPort.URL, "tollgate_requests_in_flight", "") != count) {
      pause(1);
    }
  }

  private static void awaitEnded(StreamClients clients, int count) throws InterruptedException {
    while (clients.ended() < count) {
      NEVER.await(5, TimeUnit.MILLISECONDS);
    }
  }

  private static void pause(int seconds) throws InterruptedException {
    NEVER.await(seconds, TimeUnit.SECONDS);
  }

  private static long since(long startNanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }
}
