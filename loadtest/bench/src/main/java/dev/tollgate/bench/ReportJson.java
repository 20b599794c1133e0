package dev.tollgate.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.bench.Assertion.Verdict;
import dev.tollgate.bench.BenchPlan.TargetSpec;
import dev.tollgate.bench.BenchReport.Ceiling;
import dev.tollgate.bench.BenchReport.ScenarioResult;
import dev.tollgate.bench.BenchReport.Side;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Formats a benchmark report as JSON. Durations are in microseconds; API keys are never included.
 */
public final class ReportJson {
  /** Format version; changes when a member changes its meaning. */
  private static final int FORMAT = 1;

  private static final ObjectMapper JSON = new ObjectMapper();

  private ReportJson() {}

  /** Returns the whole report, with line breaks. */
  public static String of(BenchReport report, List<Verdict> verdicts) {
    ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT);
    root.put("ended", report.ended().wire());
    root.put("took_seconds", report.took().toMillis() / 1e3);
    root.put("method", Methodology.TEXT);
    ObjectNode environment = root.putObject("environment");
    report.environment().forEach(environment::put);
    settings(root.putObject("settings"), report.plan());
    ObjectNode scenarios = root.putObject("scenarios");
    for (ScenarioResult each : report.scenarios()) {
      scenario(scenarios.putObject(each.scenario().wire()), each);
    }
    Ceiling ceiling = report.frontier();
    if (ceiling != null) {
      frontier(root.putObject("frontier"), ceiling);
    }
    for (Verdict verdict : verdicts) {
      root.withArray("assertions")
          .addObject()
          .put("text", verdict.text())
          .put("held", verdict.held())
          .put("found", verdict.found());
    }
    return text(root);
  }

  private static void settings(ObjectNode out, BenchPlan plan) {
    targetSpec(out.putObject("target"), plan.target());
    TargetSpec direct = plan.direct();
    if (direct != null) {
      targetSpec(out.putObject("direct"), direct);
    }
    out.put("rate", plan.rates().plain())
        .put("stream_rate", plan.rates().stream())
        .put("streams", plan.rates().openStreams())
        .put("duration_seconds", seconds(plan.times().each()))
        .put("round_seconds", seconds(plan.times().round()))
        .put("warmup_seconds", seconds(plan.times().warmUp()))
        .put("timeout_seconds", seconds(plan.times().timeout()))
        .put("max_duration_seconds", seconds(plan.times().maxDuration()))
        .put("max_rate", plan.bounds().ratePerSecondMax())
        .put("connections", plan.bounds().connectionsMax())
        .put("prompt_bytes", plan.prompt().bytes())
        .put("max_tokens", plan.prompt().tokensMax());
  }

  private static void targetSpec(ObjectNode out, TargetSpec spec) {
    out.put("url", spec.url().text())
        .put("model", spec.model())
        .put("stream_model", spec.streamModel());
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }

  private static void scenario(ObjectNode out, ScenarioResult measured) {
    out.put("rounds", measured.rounds());
    side(out.putObject("target"), measured.target());
    Side direct = measured.direct();
    if (direct != null) {
      side(out.putObject("direct"), direct);
      ObjectNode added = out.putObject("added_us");
      added(added, "latency", measured.addedLatency());
      added(added, "first_token", measured.addedFirstToken());
      added(added, "event_delay", measured.addedEventDelay());
    }
    out.put("driver_busy", measured.driverBusy());
    Integer sustained = measured.sustained();
    if (sustained != null) {
      out.put("streams_sustained", sustained);
    }
    process(out, measured.process());
  }

  private static void side(ObjectNode out, Side side) {
    out.put("asked", side.asked())
        .put("answered", side.answered())
        .put("failed", side.failed())
        .put("cut_off", side.cutOff());
    ObjectNode failures = out.putObject("failures");
    side.failures().forEach((how, count) -> failures.put(how.wire(), count));
    if (side.firstProblem() != null) {
      out.put("first_problem", side.firstProblem());
    }
    histogram(out, "latency_us", side.latency());
    histogram(out, "first_token_us", side.firstToken());
    histogram(out, "event_delay_us", side.eventDelay());
    histogram(out, "driver_late_us", side.late());
    if (side.events() > 0) {
      out.put("events", side.events());
      out.putObject("frames")
          .put("lost", side.framesLost())
          .put("repeated", side.framesRepeated())
          .put("changed", side.framesChanged());
    }
  }

  private static void histogram(ObjectNode out, String name, Histogram nanos) {
    if (nanos.getTotalCount() > 0) {
      ObjectNode member = out.putObject(name).put("count", nanos.getTotalCount());
      percentiles(member, Percentiles.of(nanos));
      member.put("max", nanos.getMaxValue() / 1e3);
    }
  }

  private static void added(ObjectNode out, String name, Optional<Percentiles> added) {
    added.ifPresent(each -> percentiles(out.putObject(name), each));
  }

  private static void percentiles(ObjectNode out, Percentiles nanos) {
    out.put("p50", nanos.p50Nanos() / 1e3)
        .put("p90", nanos.p90Nanos() / 1e3)
        .put("p99", nanos.p99Nanos() / 1e3)
        .put("p99.9", nanos.p999Nanos() / 1e3);
  }

  private static void process(ObjectNode out, ProcessCost.@Nullable Result result) {
    switch (result) {
      case null -> {}
      case ProcessCost.Result.Measured cost -> {
        ObjectNode process = out.putObject("process");
        process
            .put("pid", cost.pid())
            .put("cpu_seconds", cost.cpuNanos() / 1e9)
            .put("cpu_us_per_request", cost.cpuMicrosPerRequest())
            .put("rss_bytes_max", cost.residentBytesMax());
        if (cost.events() > 0) {
          process.put("cpu_us_per_event", cost.cpuMicrosPerEvent());
        }
      }
      case ProcessCost.Result.Unavailable(long pid, String why) ->
          out.putObject("process").put("pid", pid).put("unavailable", why);
    }
  }

  private static void frontier(ObjectNode out, Ceiling ceiling) {
    out.put("max_rate", ceiling.rateMax());
    ObjectNode rates = out.putObject("rate_by_p99_ms");
    for (Duration threshold : Frontier.THRESHOLDS) {
      Double rate = ceiling.rates().get(threshold);
      rates.put(Long.toString(threshold.toMillis()), rate);
    }
    for (Frontier.Probe probe : ceiling.probes()) {
      out.withArray("probes")
          .addObject()
          .put("rate", probe.rate())
          .put("p99_us", probe.p99Nanos() / 1e3)
          .put("failed", probe.failed())
          .put("driver_busy", probe.driverBusy());
    }
  }

  private static String text(ObjectNode root) {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree is always printable", e);
    }
  }
}
