package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CPU time of the gateway's process for a reply with vectors of 124 KB, beside a process that only
 * copies the same bytes from socket to socket: both run at once and are loaded in turn.
 */
class EmbeddingsBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 16);
  private static final int REQUESTS = Integer.getInteger("bench.requests", 2_000);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 12);
  private static final int CLIENTS = Integer.getInteger("bench.clients", 8);
  private static final String MOCK = "mock-embedding?ttft=0ms";
  private static final Results RESULTS = Results.of("embeddings");

  @TempDir private Path folder = Path.of("");

  @Test
  void besideABareRelay() throws Exception {
    try (MeasuredProcess mock =
        MeasuredProcess.start(
            folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0")) {
      String upstream = mock.awaitLine("(http://[0-9.:]+)");
      String model = "modality: embedding\n    price: { input: \"0.02\" }";
      Path home = Files.createDirectory(folder.resolve("gateway"));
      try (SingleModelGateway gateway = SingleModelGateway.start(home, upstream, model, MOCK);
          MeasuredProcess relay =
              MeasuredProcess.relay(folder.resolve("relay.log"), URI.create(upstream).getPort());
          PlainClients asking =
              new PlainClients(
                  gateway.address(), request(gateway.key(), SingleModelGateway.NAME), CLIENTS);
          PlainClients direct = new PlainClients(at(relay), request("none", MOCK), CLIENTS)) {
        compare(gateway.process(), asking, relay, direct);
      }
    }
  }

  private static InetSocketAddress at(MeasuredProcess relay) throws Exception {
    int port = Integer.parseInt(relay.awaitLine("relays at (\\d+)"));
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private static byte[] request(String key, String model) {
    return PlainClients.request("/v1/embeddings", key, body(model));
  }

  private static String body(String model) {
    return "{\"model\":\""
        + model
        + "\",\"dimensions\":1300,\"encoding_format\":\"float\",\"input\":"
        + "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]}";
  }

  private static void compare(
      MeasuredProcess gateway, PlainClients asking, MeasuredProcess relay, PlainClients direct)
      throws Exception {
    List<Double> ofGateway = new ArrayList<>();
    List<Double> ofRelay = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      double a = round(gateway, asking);
      double b = round(relay, direct);
      if (round >= 0) {
        ofGateway.add(a);
        ofRelay.add(b);
        ratios.add(a / b);
        RESULTS.print(
            String.format(Locale.ROOT, "round %d: gateway %.1f us, relay %.1f us", round, a, b));
      }
    }
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "vectors of %d bytes: gateway %.1f us, bare relay %.1f us of CPU per request,"
                + " ratio %.3f (medians of %d rounds of %d requests)",
            asking.replyBytes(),
            Results.median(ofGateway),
            Results.median(ofRelay),
            Results.median(ratios),
            ROUNDS,
            REQUESTS));
    assertThat(asking.refused() + direct.refused()).as("requests that were refused").isZero();
  }

  private static double round(MeasuredProcess process, PlainClients clients) throws Exception {
    Duration start = process.cpu();
    clients.ask(REQUESTS);
    return process.cpu().minus(start).toNanos() / 1e3 / REQUESTS;
  }
}
