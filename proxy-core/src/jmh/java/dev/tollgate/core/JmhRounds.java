package dev.tollgate.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs all benchmarks in turn, and again, so that what the machine does besides meets all of them;
 * each time in a JVM of its own. The table has the median of the rounds.
 */
public final class JmhRounds {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private JmhRounds() {}

  private record Figures(List<Double> nanos, List<Double> bytes) {
    Figures() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  /** Takes a pattern of names, a number of rounds and the file that gets the table. */
  public static void main(String[] args) throws RunnerException, IOException {
    int rounds = Integer.parseInt(args[1]);
    Options options =
        new OptionsBuilder()
            .include(args[0])
            .forks(1)
            .warmupIterations(3)
            .warmupTime(TimeValue.seconds(1))
            .measurementIterations(3)
            .measurementTime(TimeValue.seconds(1))
            .jvmArgsAppend("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED")
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .build();
    Map<String, Figures> all = new TreeMap<>();
    for (int round = 0; round < rounds; round++) {
      for (RunResult result : new Runner(options).run()) {
        Figures its = all.computeIfAbsent(name(result.getParams()), _ -> new Figures());
        its.nanos.add(result.getPrimaryResult().getScore());
        its.bytes.add(secondary(result));
      }
    }
    Files.writeString(Path.of(args[2]), table(all, rounds));
  }

  private static double secondary(RunResult result) {
    Result<?> allocated = result.getSecondaryResults().get(ALLOCATED);
    return allocated.getScore();
  }

  private static String name(BenchmarkParams params) {
    StringBuilder name =
        new StringBuilder(params.getBenchmark().replaceAll(".*\\.(\\w+\\.\\w+)$", "$1"));
    params.getParamsKeys().forEach(key -> name.append(' ').append(params.getParam(key)));
    return name.toString();
  }

  private static String table(Map<String, Figures> all, int rounds) {
    StringBuilder table = new StringBuilder("Medians of " + rounds + " rounds.\n\n");
    table.append("| benchmark | ns | bytes of heap |\n|---|---|---|\n");
    all.forEach(
        (name, its) ->
            table.append(
                String.format(
                    Locale.ROOT,
                    "| %s | %.0f | %.0f |%n",
                    name,
                    median(its.nanos),
                    median(its.bytes))));
    return table.toString();
  }

  private static double median(List<Double> of) {
    List<Double> sorted = of.stream().sorted().toList();
    return sorted.get(sorted.size() / 2);
  }
}
