package dev.tollgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.bench.BenchMetrics;
import dev.tollgate.core.testkit.ScriptedUpstream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options of {@code bench}: refused values, and documentation of all options. */
class BenchVerbTest {
  private static final Path DOCS =
      Path.of(System.getProperty("tollgate.root", "..")).resolve("docs/benchmarks.md");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... options) {
    List<String> all = new ArrayList<>(List.of("bench"));
    all.addAll(Arrays.asList(options));
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--rate=0",
        "--rate=30000",
        "--rate=NaN",
        "--stream-rate=-1",
        "--max-rate=1000000",
        "--connections=100000",
        "--streams=5000",
        "--duration=0s",
        "--duration=20m",
        "--round=1m",
        "--timeout=1h",
        "--max-duration=2d",
        "--warmup=1h",
        "--prompt-bytes=0",
        "--scenario=fast",
        "--replies=some",
        "--header=no token=x",
        "--header=name=two\r\nlines: x",
        "--direct=https://127.0.0.1/v1",
        "--direct=http://192.0.2.1/v1"
      })
  void whatIsOutOfItsBoundsIsAMatterOfUsage(String option) {
    assertThat(run("--target=http://127.0.0.1:1/v1", option)).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).isNotBlank();
  }

  @Test
  void aWrongAssertionIsRefusedBeforeAnyRequest() {
    assertThat(run("--target=http://127.0.0.1:1/v1", "--assert=p99<=5ms,errors~0")).isEqualTo(2);
    assertThat(err.toString())
        .contains("--assert 'p99<=5ms,errors~0', position 16: expected one of");
  }

  @Test
  void anotherMachineIsRefusedWithoutTheOption() {
    assertThat(run("--target=http://192.0.2.1/v1")).isEqualTo(2);
    assertThat(err.toString()).contains("is not on this machine", "--remote");
  }

  @Test
  void anUnreachableTargetIsAFailureInOneLine() throws IOException {
    int port = ScriptedUpstream.refusedPort();
    assertThat(run("--target=http://127.0.0.1:" + port + "/v1")).isEqualTo(1);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("target does not answer correctly: connect, no connection:");
  }

  @Test
  void theQuickstartHasTheDefaultModel() throws IOException {
    String quickstart =
        Files.readString(DOCS.resolveSibling("../config/quickstart.yaml").normalize());
    int start = quickstart.indexOf("\n  " + BenchOptions.QUICKSTART_MODEL + ":\n");
    assertThat(start).isPositive();
    assertThat(quickstart.substring(start, quickstart.indexOf("\n\n", start)))
        .endsWith(
            "routes: [{ provider: mock, model: \"%s\" }]".formatted(BenchOptions.QUICKSTART_ROUTE));
  }

  @Test
  void theDocumentationHasEveryOption() throws IOException {
    List<String> options =
        CommandSpec.forAnnotatedObject(new BenchCommand()).options().stream()
            .map(OptionSpec::longestName)
            .filter(name -> !name.equals("--help") && !name.equals("--version"))
            .sorted()
            .toList();
    assertThat(named("bench options").stream().sorted().toList()).isEqualTo(options);
  }

  @Test
  void theDocumentationHasEveryAssertableFigure() throws IOException {
    assertThat(named("bench figures")).containsExactlyElementsOf(BenchMetrics.all().keySet());
  }

  /** Returns the backquoted names in the first column of the table behind a marker. */
  private static List<String> named(String marker) throws IOException {
    List<String> lines = Files.readAllLines(DOCS);
    int start = lines.indexOf("<!-- " + marker + " -->");
    assertThat(start).as(marker).isNotNegative();
    List<String> found = new ArrayList<>();
    for (String line : lines.subList(start + 3, lines.size())) {
      if (!line.startsWith("|")) {
        break;
      }
      String[] quoted = line.split("\\|", -1)[1].split("`", -1);
      for (int i = 1; i < quoted.length; i += 2) {
        found.add(quoted[i]);
      }
    }
    return found;
  }
}
