package dev.tollgate.server.cli;

import dev.tollgate.bench.Assertion;
import dev.tollgate.bench.Assertion.Verdict;
import dev.tollgate.bench.AssertionParser;
import dev.tollgate.bench.BenchFailedException;
import dev.tollgate.bench.BenchPlan;
import dev.tollgate.bench.BenchReport;
import dev.tollgate.bench.BenchRun;
import dev.tollgate.bench.ReportJson;
import dev.tollgate.bench.ReportMarkdown;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.cli.output.ProgressLine;
import dev.tollgate.server.wiring.StopSignal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Command {@code tollgate bench}: puts open-loop load on a gateway and reports the latency that it
 * adds.
 */
@Command(
    name = "bench",
    description =
        "Load a gateway and its provider alternately; report the latency that the gateway adds.",
    mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
  private static final int EXIT_ASSERTION_MISSED = 3;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private BenchOptions options = new BenchOptions();

  @Option(names = "--json", paramLabel = "FILE", description = "File for the report as JSON.")
  private @Nullable Path json;

  @Option(
      names = "--markdown",
      paramLabel = "FILE",
      description = "File for the report as Markdown (default: stdout).")
  private @Nullable Path markdown;

  @Option(
      names = "--assert",
      paramLabel = "LIST",
      description = "Thresholds such as 'p99<=5ms,errors=0'; exit with 3 if one is missed.")
  private @Nullable String assertions;

  @Override
  public Integer call() throws IOException {
    List<Assertion> parsedAssertions = parsedAssertions();
    var plan = options.plan();
    if (!options.needsMockProvider()) {
      return run(plan, parsedAssertions);
    }
    try (MockProvider mock = MockProvider.start(MockProfile.DEFAULT, 0)) {
      return run(plan.withDirect(options.mockProvider(mock.baseUrl())), parsedAssertions);
    }
  }

  private int run(BenchPlan plan, List<Assertion> parsedAssertions) throws IOException {
    var stop = StopSignal.listen();
    BenchReport report;
    try (ProgressLine progress = ProgressLine.on(line().getErr())) {
      report =
          BenchRun.measure(
              plan,
              new VersionProvider().getVersion()[0],
              () -> stop.await(Duration.ZERO),
              progress::show);
    } catch (BenchFailedException e) {
      line().getErr().println(e.getMessage());
      return 1;
    }
    List<Verdict> verdicts = Assertion.judge(parsedAssertions, report);
    write(report, verdicts);
    return exitCode(report, verdicts);
  }

  private List<Assertion> parsedAssertions() {
    try {
      return assertions == null ? List.of() : AssertionParser.parse(assertions);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line(), "--assert " + e.getMessage(), e);
    }
  }

  private void write(BenchReport report, List<Verdict> verdicts) throws IOException {
    if (json != null) {
      Files.writeString(json, ReportJson.of(report, verdicts) + "\n");
    }
    String text = ReportMarkdown.of(report, verdicts);
    if (markdown == null) {
      PrintWriter out = line().getOut();
      out.print(text);
      out.flush();
    } else {
      Files.writeString(markdown, text);
    }
  }

  private int exitCode(BenchReport report, List<Verdict> verdicts) {
    PrintWriter err = line().getErr();
    boolean interrupted = report.ended() != BenchReport.Ended.COMPLETE;
    if (report.hasWrongFrames()) {
      err.println("frames of the target's streams were lost, repeated or changed");
      return 1;
    }
    if (report.hasUnansweredScenario() && !interrupted) {
      err.println("the target answered no request");
      return 1;
    }
    List<Verdict> missed = verdicts.stream().filter(verdict -> !verdict.held()).toList();
    missed.forEach(each -> err.println("missed: " + each.text() + " (" + each.found() + ")"));
    return missed.isEmpty() ? 0 : EXIT_ASSERTION_MISSED;
  }

  private CommandLine line() {
    return Objects.requireNonNull(spec).commandLine();
  }
}
