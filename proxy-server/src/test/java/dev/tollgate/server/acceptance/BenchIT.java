package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.server.acceptance.LauncherProcess.CommandResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** {@code tollgate bench} as a process, against a gateway and its provider. */
@Tag("chaos")
@Isolated
class BenchIT {
  private static final String MODEL = "mock-chat?ttft=2ms&interval=2ms&chunks=8";

  @TempDir private Path folder = Path.of("");

  @Test
  void aRunMeasuresBothSidesAndChecksAssertions() throws Exception {
    Process mock = LauncherProcess.process(List.of(), List.of("mock", "--port=0")).start();
    try {
      String provider =
          ProcessOutput.of(mock.getInputStream())
              .await(line -> line.startsWith("http"), Duration.ofMinutes(1))
              .orElseThrow();
      ConfigBuilder setup =
          SharedNode.setup()
              .openAi("bench", provider, "none")
              .model("bench/chat", "bench", MODEL)
              .model("bench/cut", "bench", "fault/error-midway:3")
              .model("tollgate/demo-bench", "bench", "mock-chat?ttft=0ms&interval=0ms&chunks=32");
      try (GatewayProcess gateway = SharedNode.beside(setup, List.of())) {
        everyScenario(gateway, provider);
        theModelOfTheQuickstart(gateway);
        aMissedAssertion(gateway, provider);
        aStreamThatFails(gateway);
        aWrongKey(gateway);
        anInterruptedRun(gateway, provider);
      }
    } finally {
      mock.destroy();
      assertThat(mock.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void everyScenario(GatewayProcess gateway, String provider) throws Exception {
    Path json = folder.resolve("bench.json");
    CommandResult result =
        bench(
            gateway,
            "--direct=" + provider,
            "--direct-model=" + MODEL,
            "--scenario=plain,stream,streams,frontier",
            "--duration=600ms",
            "--streams=5",
            "--max-rate=100",
            "--rate=50",
            "--pid=" + gateway.pid(),
            "--json=" + json,
            "--assert=errors=0,target_p99<=30s,frontier_100ms>=0,streams.streams_sustained>=1");
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("## plain", "**added latency**", "difference of percentiles");

    JsonNode report = Json.tree(Files.readString(json));
    assertThat(report.at("/ended").asText()).isEqualTo("complete");
    assertThat(report.at("/environment/cpu").asText()).isNotBlank();
    assertThat(report.at("/scenarios/plain/target/answered").asInt()).isEqualTo(30);
    assertThat(report.at("/scenarios/plain/direct/answered").asInt()).isEqualTo(30);
    JsonNode stream = report.at("/scenarios/stream");
    assertThat(stream.at("/target/latency_us/p50").asDouble()).isGreaterThan(18_000);
    assertThat(stream.at("/target/event_delay_us/count").asInt())
        .isEqualTo(8 * stream.at("/target/answered").asInt());
    assertThat(stream.at("/added_us/first_token/p99").isNumber()).isTrue();
    assertThat(stream.at("/target/frames/lost").asInt(-1)).isZero();
    assertThat(stream.at("/process/cpu_us_per_event").asDouble()).isPositive();
    assertThat(stream.at("/process/rss_bytes_max").asLong()).isGreaterThan(10_000_000);
    assertThat(report.at("/scenarios/streams/streams_sustained").asInt()).isBetween(1, 5);
    assertThat(report.at("/frontier/probes/0/rate").asInt()).isEqualTo(50);
    assertThat(report.toString()).doesNotContain(SharedNode.key());
  }

  private static void theModelOfTheQuickstart(GatewayProcess gateway) throws Exception {
    CommandResult result =
        LauncherProcess.run(
            "bench",
            "--target=" + gateway.baseUrl(),
            "--key=" + SharedNode.key(),
            "--warmup=200ms",
            "--duration=400ms",
            "--round=200ms",
            "--assert=p50<=1s,errors=0");
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("direct http://127.0.0.1:", "**added latency**");
  }

  private void aMissedAssertion(GatewayProcess gateway, String provider) throws Exception {
    Path markdown = folder.resolve("bench.md");
    CommandResult result =
        bench(
            gateway,
            "--direct=" + provider,
            "--direct-model=" + MODEL,
            "--scenario=plain",
            "--duration=200ms",
            "--markdown=" + markdown,
            "--assert=errors=0,target_p50<1us");
    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("missed: target_p50<1us (plain: ");
    assertThat(Files.readString(markdown)).contains("| `errors=0` | held |", "**missed**");
  }

  private static void aStreamThatFails(GatewayProcess gateway) throws Exception {
    CommandResult result = bench(gateway, "--stream-model=bench/cut", "--scenario=stream");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("target does not answer correctly: error_event");
  }

  private static void aWrongKey(GatewayProcess gateway) throws Exception {
    CommandResult result = bench(gateway, "--key=sk-llm-wrong", "--scenario=plain");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("401");
  }

  private static void anInterruptedRun(GatewayProcess gateway, String provider) throws Exception {
    double before = gateway.admin().total("tollgate_requests_total");
    Process process =
        LauncherProcess.process(
                List.of(),
                arguments(
                    gateway,
                    "--direct=" + provider,
                    "--direct-model=" + MODEL,
                    "--scenario=plain",
                    "--duration=5m"))
            .start();
    gateway
        .admin()
        .await(
            numbers -> Admin.total(numbers, "tollgate_requests_total") > before + 100, "the load");
    new ProcessBuilder("kill", "-INT", "" + process.pid()).start().waitFor();
    ProcessOutput out = ProcessOutput.of(process.getInputStream());
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(out.whole()).contains("**Incomplete (interrupted)", "target latency");
  }

  private static CommandResult bench(GatewayProcess gateway, String... more) throws Exception {
    return LauncherProcess.run(arguments(gateway, more).toArray(String[]::new));
  }

  private static List<String> arguments(GatewayProcess gateway, String... more) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "bench",
                "--target=" + gateway.baseUrl(),
                "--model=bench/chat",
                "--warmup=200ms",
                "--round=200ms",
                "--timeout=20s"));
    all.addAll(List.of(more));
    if (all.stream().noneMatch(each -> each.startsWith("--key"))) {
      all.add("--key=" + SharedNode.key());
    }
    return all;
  }
}
