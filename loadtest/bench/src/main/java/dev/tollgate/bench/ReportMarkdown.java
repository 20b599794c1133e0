package dev.tollgate.bench;

import dev.tollgate.bench.Assertion.Verdict;
import dev.tollgate.bench.BenchReport.Ceiling;
import dev.tollgate.bench.BenchReport.Ended;
import dev.tollgate.bench.BenchReport.ScenarioResult;
import dev.tollgate.bench.BenchReport.Side;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Formats a benchmark report as Markdown tables for people. */
public final class ReportMarkdown {
  private static final double BUSY_MAX = 0.9;

  private final StringBuilder out = new StringBuilder();

  private ReportMarkdown() {}

  /** Returns the whole report. */
  public static String of(BenchReport report, List<Verdict> verdicts) {
    var markdown = new ReportMarkdown();
    markdown.head(report);
    report.scenarios().forEach(each -> markdown.scenario(each, report.plan()));
    markdown.frontier(report.frontier(), report.plan());
    markdown.verdicts(verdicts);
    markdown.environment(report.environment());
    return markdown.out.toString();
  }

  private void head(BenchReport report) {
    line("# tollgate bench");
    line("");
    BenchPlan plan = report.plan();
    line("target %s, model %s".formatted(plan.target().url().text(), plan.target().model()));
    BenchPlan.TargetSpec direct = plan.direct();
    if (direct != null) {
      line("direct %s, model %s".formatted(direct.url().text(), direct.model()));
    }
    if (report.ended() != Ended.COMPLETE) {
      line("");
      line("**Incomplete (%s): results until then.**".formatted(report.ended().wire()));
    }
    if (Environment.wasBusy(report.environment())) {
      line("");
      line("**This machine was busy before the run: results are worse than they should be.**");
    }
    line("");
    line(Methodology.TEXT);
  }

  private void scenario(ScenarioResult measured, BenchPlan plan) {
    line("");
    line("## %s".formatted(measured.scenario().wire()));
    line("");
    line(what(measured, plan));
    line("");
    line("| us | p50 | p90 | p99 | p99.9 | max |");
    line("|---|---|---|---|---|---|");
    Side target = measured.target();
    Side direct = measured.direct();
    rows("latency", target.latency(), direct == null ? null : direct.latency());
    added("latency", measured.addedLatency());
    rows("first token", target.firstToken(), direct == null ? null : direct.firstToken());
    added("first token", measured.addedFirstToken());
    rows("event delay", target.eventDelay(), direct == null ? null : direct.eventDelay());
    added("event delay", measured.addedEventDelay());
    line("");
    side("target", target);
    if (direct != null) {
      side("direct", direct);
    }
    Integer sustained = measured.sustained();
    if (sustained != null) {
      line(
          "- streams open all the time: %d of %d".formatted(sustained, plan.rates().openStreams()));
    }
    process(measured.process());
    driver(measured);
  }

  private static String what(ScenarioResult measured, BenchPlan plan) {
    String rounds = measured.rounds() == 1 ? "1 round" : measured.rounds() + " rounds";
    return switch (measured.scenario()) {
      case PLAIN, FRONTIER ->
          "%s plain requests per second, %s of each side"
              .formatted(MetricUnit.COUNT.show(plan.rates().plain()), rounds);
      case STREAM ->
          "%s new streams per second, %s of each side"
              .formatted(MetricUnit.COUNT.show(plan.rates().stream()), rounds);
      case STREAMS ->
          plan.rates().openStreams() + " streams open at once, " + rounds + " of each side";
    };
  }

  private void rows(String what, Histogram target, @Nullable Histogram direct) {
    row("target " + what, target);
    if (direct != null) {
      row("direct " + what, direct);
    }
  }

  private void row(String name, Histogram histogram) {
    if (histogram.getTotalCount() > 0) {
      Percentiles nanos = Percentiles.of(histogram);
      line(
          "| %s | %s | %s | %s | %s | %s |"
              .formatted(
                  name,
                  micros(nanos.p50Nanos()),
                  micros(nanos.p90Nanos()),
                  micros(nanos.p99Nanos()),
                  micros(nanos.p999Nanos()),
                  micros(histogram.getMaxValue())));
    }
  }

  private void added(String what, Optional<Percentiles> added) {
    added.ifPresent(
        nanos ->
            line(
                "| **added %s** | **%s** | **%s** | **%s** | **%s** | |"
                    .formatted(
                        what,
                        micros(nanos.p50Nanos()),
                        micros(nanos.p90Nanos()),
                        micros(nanos.p99Nanos()),
                        micros(nanos.p999Nanos()))));
  }

  private void side(String name, Side side) {
    line(
        "- %s: %d asked, %d answered, %d failed%s%s"
            .formatted(
                name,
                side.asked(),
                side.answered(),
                side.failed(),
                side.cutOff() == 0 ? "" : ", " + side.cutOff() + " cut off at the end",
                side.failures().isEmpty() ? "" : " (" + failures(side) + ")"));
    if (side.events() > 0) {
      line(
          "- %s: %d events; frames lost %d, repeated %d, changed %d"
              .formatted(
                  name,
                  side.events(),
                  side.framesLost(),
                  side.framesRepeated(),
                  side.framesChanged()));
    }
    if (side.firstProblem() != null) {
      line("- first error of %s: `%s`".formatted(name, side.firstProblem().replace('`', '\'')));
    }
  }

  private static String failures(Side side) {
    return side.failures().entrySet().stream()
        .map(each -> each.getKey().wire() + " " + each.getValue())
        .collect(Collectors.joining(", "));
  }

  private void process(ProcessCost.@Nullable Result result) {
    switch (result) {
      case null -> {}
      case ProcessCost.Result.Measured cost -> {
        String perEvent =
            cost.events() == 0
                ? ""
                : ", %s per event".formatted(MetricUnit.TIME.show(cost.cpuMicrosPerEvent() * 1e3));
        line(
            "- process %d: %s of CPU per request%s; at most %s resident"
                .formatted(
                    cost.pid(),
                    MetricUnit.TIME.show(cost.cpuMicrosPerRequest() * 1e3),
                    perEvent,
                    MetricUnit.SIZE.show((double) cost.residentBytesMax())));
      }
      case ProcessCost.Result.Unavailable(long pid, String why) ->
          line("- process %d: CPU and memory not available (%s)".formatted(pid, why));
    }
  }

  private void driver(ScenarioResult measured) {
    line(
        "- the driver's thread was busy for %d %% of the busiest round and sent %s late at p99%s"
            .formatted(
                Math.round(100 * measured.driverBusy()),
                MetricUnit.TIME.show((double) Percentiles.of(measured.target().late()).p99Nanos()),
                measured.driverBusy() < BUSY_MAX ? "" : ": **too busy, the results are invalid**"));
  }

  private void frontier(@Nullable Ceiling ceiling, BenchPlan plan) {
    if (ceiling == null) {
      return;
    }
    line("");
    line("## frontier");
    line("");
    line(
        "Highest rate of plain requests at which p99 %s holds, of %d rates tried:"
            .formatted(plan.direct() == null ? "of the whole" : "added", ceiling.probes().size()));
    line("");
    line("| p99 at most | requests per second |");
    line("|---|---|");
    for (Duration threshold : Frontier.THRESHOLDS) {
      line("| %d ms | %s |".formatted(threshold.toMillis(), rate(ceiling, threshold)));
    }
  }

  private static String rate(Ceiling ceiling, Duration threshold) {
    Double rate = ceiling.rates().get(threshold);
    if (rate == null) {
      return "missed at the lowest rate";
    }
    String shown = MetricUnit.COUNT.show(rate);
    return rate >= ceiling.rateMax() ? shown + " (the allowed maximum)" : shown;
  }

  private void verdicts(List<Verdict> verdicts) {
    if (verdicts.isEmpty()) {
      return;
    }
    line("");
    line("## assertions");
    line("");
    line("| assertion | | found |");
    line("|---|---|---|");
    for (Verdict verdict : verdicts) {
      line(
          "| `%s` | %s | %s |"
              .formatted(verdict.text(), verdict.held() ? "held" : "**missed**", verdict.found()));
    }
  }

  private void environment(Map<String, String> environment) {
    line("");
    line("## environment");
    line("");
    line("| | |");
    line("|---|---|");
    environment.forEach((name, value) -> line("| %s | %s |".formatted(name, value)));
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%.0f", nanos / 1e3);
  }

  private void line(String text) {
    out.append(text).append('\n');
  }
}
