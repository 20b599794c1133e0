package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How much later the first byte of speech comes through the gateway: one client asks the provider
 * and the gateway in turn, so that what else the machine does falls on both.
 */
class SpeechBench {
  private static final int REQUESTS = Integer.getInteger("bench.requests", 20_000);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 5_000);
  private static final String MOCK = "mock-speech?ttft=0ms&interval=0ms&chunks=4";
  private static final Results RESULTS = Results.of("speech");

  @TempDir private Path folder = Path.of("");

  @Test
  void timeToTheFirstByte() throws Exception {
    try (MeasuredProcess mock =
        MeasuredProcess.start(
            folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0")) {
      String upstream = mock.awaitLine("(http://[0-9.:]+)");
      String model = "modality: speech\n    price: { characters: \"15.00\" }";
      Path home = Files.createDirectory(folder.resolve("gateway"));
      try (SingleModelGateway gateway = SingleModelGateway.start(home, upstream, model, MOCK);
          RawClient through = RawClient.connect(gateway.address().getPort());
          RawClient direct = RawClient.connect(URI.create(upstream).getPort())) {
        List<Double> added = new ArrayList<>();
        List<Double> ofProvider = new ArrayList<>();
        List<Double> ofGateway = new ArrayList<>();
        for (int n = -WARM_UP; n < REQUESTS; n++) {
          double a = millis(direct, "none", MOCK);
          double b = millis(through, gateway.key(), SingleModelGateway.NAME);
          if (n >= 0) {
            ofProvider.add(a);
            ofGateway.add(b);
            added.add(b - a);
          }
        }
        report(ofProvider, ofGateway, added);
      }
    }
  }

  private static double millis(RawClient client, String key, String model) {
    String authorization = "Authorization: Bearer " + key;
    long asked = System.nanoTime();
    client.post("/v1/audio/speech", body(model), authorization).peekAtLeast(1);
    double took = (System.nanoTime() - asked) / 1e6;
    assertThat(client.readResponse().status()).isEqualTo(200);
    return took;
  }

  private static String body(String model) {
    return "{\"model\":\"" + model + "\",\"input\":\"Say it.\",\"voice\":\"alloy\"}";
  }

  private static void report(List<Double> provider, List<Double> gateway, List<Double> added)
      throws Exception {
    for (int percent : new int[] {50, 90, 99}) {
      double of = Results.percentile(provider, percent);
      double with = Results.percentile(gateway, percent);
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "first byte of speech, p%d of %d: provider %.3f ms, gateway %.3f ms, %.3f ms later;"
                  + " of the differences %.3f ms",
              percent,
              provider.size(),
              of,
              with,
              with - of,
              Results.percentile(added, percent)));
    }
  }
}
