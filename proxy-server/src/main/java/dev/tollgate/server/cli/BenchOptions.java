package dev.tollgate.server.cli;

import dev.tollgate.bench.BaseUrl;
import dev.tollgate.bench.BenchPlan;
import dev.tollgate.bench.BenchPlan.Bounds;
import dev.tollgate.bench.BenchPlan.Prompt;
import dev.tollgate.bench.BenchPlan.Rates;
import dev.tollgate.bench.BenchPlan.Replies;
import dev.tollgate.bench.BenchPlan.Scenario;
import dev.tollgate.bench.BenchPlan.TargetSpec;
import dev.tollgate.bench.BenchPlan.Times;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import dev.tollgate.server.cli.option.SpanConverter;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Command line options of {@code tollgate bench}; every number has a bound. */
final class BenchOptions {
  /** The model of config/quickstart.yaml for benchmarks. */
  static final String QUICKSTART_MODEL = "tollgate/demo-bench";

  /** Its name at the mock provider. */
  static final String QUICKSTART_ROUTE = "mock-chat?ttft=0ms&interval=0ms&chunks=32";

  private static final int RATE_BOUND = 100_000;
  private static final int CONNECTIONS_BOUND = 20_000;
  private static final int PROMPT_BYTES_BOUND = 10 * 1024 * 1024;
  private static final Duration DURATION_MAX_BOUND = Duration.ofHours(24);

  @Spec(Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--target",
      defaultValue = "http://127.0.0.1:8080/v1",
      paramLabel = "URL",
      description = "The gateway (default: ${DEFAULT-VALUE}).")
  private String target = "";

  @Option(
      names = "--direct",
      paramLabel = "URL",
      description =
          "The provider behind it; without it, only totals are reported, but for the default model:"
              + " bench then starts the mock provider itself.")
  private @Nullable String direct;

  @Option(names = "--remote", description = "Allow load on another machine.")
  private boolean remote;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "API key for the gateway; else $BENCH_KEY.")
  private @Nullable String key;

  @Option(
      names = "--direct-key",
      paramLabel = "KEY",
      description = "API key for the provider; else $BENCH_DIRECT_KEY.")
  private @Nullable String directKey;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Header field for each request to the gateway; repeatable.")
  private Map<String, String> headers = Map.of();

  @Option(
      names = "--model",
      paramLabel = "M",
      defaultValue = QUICKSTART_MODEL,
      description = "Model in requests to the gateway (default: ${DEFAULT-VALUE}).")
  private String model = "";

  @Option(
      names = "--direct-model",
      paramLabel = "M",
      defaultValue = QUICKSTART_ROUTE,
      description = "Name of that model at the provider (default: ${DEFAULT-VALUE}).")
  private String directModel = "";

  @Option(
      names = "--stream-model",
      paramLabel = "M",
      description = "Model for streams, if it differs.")
  private @Nullable String streamModel;

  @Option(
      names = "--direct-stream-model",
      paramLabel = "M",
      description = "Name of the stream model at the provider.")
  private @Nullable String directStreamModel;

  @Option(
      names = "--scenario",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "plain,stream",
      description =
          "Any of plain, stream (new streams), streams (concurrent), frontier (rates that"
              + " hold a p99 of 1, 5, 10, 50, 100 ms); default: ${DEFAULT-VALUE}.")
  private List<String> scenarios = List.of();

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "200",
      description = "Plain requests per second (default: ${DEFAULT-VALUE}).")
  private double rate;

  @Option(
      names = "--stream-rate",
      paramLabel = "N",
      defaultValue = "20",
      description = "New streams per second (default: ${DEFAULT-VALUE}).")
  private double streamRate;

  @Option(
      names = "--streams",
      paramLabel = "N",
      defaultValue = "100",
      description = "Concurrent streams in the scenario streams (default: ${DEFAULT-VALUE}).")
  private int streams;

  @Option(
      names = "--duration",
      paramLabel = "SPAN",
      defaultValue = "10s",
      converter = SpanConverter.class,
      description = "Measured time for each side and scenario (default: ${DEFAULT-VALUE}).")
  private Duration duration = Duration.ZERO;

  @Option(
      names = "--round",
      paramLabel = "SPAN",
      defaultValue = "1s",
      converter = SpanConverter.class,
      description = "Time between changes of sides (default: ${DEFAULT-VALUE}).")
  private Duration round = Duration.ZERO;

  @Option(
      names = "--warmup",
      paramLabel = "SPAN",
      defaultValue = "5s",
      converter = SpanConverter.class,
      description = "Warm-up before each scenario, not counted (default: ${DEFAULT-VALUE}).")
  private Duration warmUp = Duration.ZERO;

  @Option(
      names = "--timeout",
      paramLabel = "SPAN",
      defaultValue = "30s",
      converter = SpanConverter.class,
      description = "Timeout of a request, from its scheduled start (default: ${DEFAULT-VALUE}).")
  private Duration timeout = Duration.ZERO;

  @Option(
      names = "--max-duration",
      paramLabel = "SPAN",
      defaultValue = "10m",
      converter = SpanConverter.class,
      description = "Longest duration of the whole run (default: ${DEFAULT-VALUE}).")
  private Duration durationMax = Duration.ZERO;

  @Option(
      names = "--max-rate",
      paramLabel = "N",
      defaultValue = "20000",
      description = "Highest rate in requests per second (default: ${DEFAULT-VALUE}).")
  private double rateMax;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "1024",
      description = "Most connections to each side (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--prompt-bytes",
      paramLabel = "N",
      defaultValue = "64",
      description = "Bytes of the prompt (default: ${DEFAULT-VALUE}).")
  private int promptBytes;

  @Option(
      names = "--max-tokens",
      paramLabel = "N",
      defaultValue = "64",
      description = "Most tokens of a reply (default: ${DEFAULT-VALUE}).")
  private int tokensMax;

  @Option(
      names = "--replies",
      paramLabel = "same|any",
      defaultValue = "same",
      description =
          "same: every stream must have the frames of the first one, as with the mock provider;"
              + " any: frames are only counted (default: ${DEFAULT-VALUE}).")
  private String replies = "";

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description = "Process of the gateway, to report its CPU and memory (Linux).")
  private @Nullable Long pid;

  BenchPlan plan() {
    check();
    TargetSpec gateway =
        new TargetSpec(
            url(target),
            secret(key, "BENCH_KEY"),
            model,
            Objects.requireNonNullElse(streamModel, model),
            fields());
    TargetSpec provider =
        direct == null
            ? null
            : new TargetSpec(
                url(direct),
                secret(directKey, "BENCH_DIRECT_KEY"),
                directModel,
                Objects.requireNonNullElse(directStreamModel, directModel),
                List.of());
    return new BenchPlan(
        gateway,
        provider,
        scenarios(),
        new Rates(rate, streamRate, streams),
        new Times(duration, round, warmUp, timeout, durationMax),
        new Bounds(rateMax, connections),
        new Prompt(promptBytes, tokensMax),
        replies(),
        pid);
  }

  /** True if the provider to compare with is not given, but known: the quickstart's. */
  boolean needsMockProvider() {
    return direct == null && streamModel == null && model.equals(QUICKSTART_MODEL);
  }

  /** Returns the mock provider of this base URL as the side to compare with. */
  TargetSpec mockProvider(String baseUrl) {
    return new TargetSpec(url(baseUrl), null, QUICKSTART_ROUTE, QUICKSTART_ROUTE, List.of());
  }

  private void check() {
    requireWithin("--max-rate", rateMax, RATE_BOUND);
    requireWithin("--rate", rate, rateMax);
    requireWithin("--stream-rate", streamRate, rateMax);
    requireWithin("--connections", connections, CONNECTIONS_BOUND);
    requireWithin("--streams", streams, connections);
    requireWithin("--prompt-bytes", promptBytes, PROMPT_BYTES_BOUND);
    requireWithin("--max-tokens", tokensMax, Integer.MAX_VALUE);
    requireWithin("--max-duration", durationMax, DURATION_MAX_BOUND);
    requireWithin("--duration", duration, durationMax);
    requireWithin("--round", round, duration);
    requireWithin("--timeout", timeout, durationMax);
    if (warmUp.compareTo(durationMax) > 0) {
      throw usage("--warmup must not be longer than --max-duration");
    }
  }

  private void requireWithin(String name, double value, double max) {
    if (!(value > 0 && value <= max)) {
      throw usage("%s must be above 0 and at most %.0f".formatted(name, max));
    }
  }

  private void requireWithin(String name, Duration value, Duration max) {
    if (!value.isPositive() || value.compareTo(max) > 0) {
      throw usage("%s must be above 0 and at most %d ms".formatted(name, max.toMillis()));
    }
  }

  private BaseUrl url(String text) {
    try {
      return BaseUrl.of(text, remote);
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
  }

  private List<Field> fields() {
    try {
      return headers.entrySet().stream()
          .map(each -> new Field(each.getKey(), each.getValue()))
          .toList();
    } catch (IllegalArgumentException e) {
      throw usage("--header: " + e.getMessage());
    }
  }

  private static @Nullable Secret secret(@Nullable String option, String variable) {
    String found = option == null ? System.getenv(variable) : option;
    return found == null ? null : new Secret(found);
  }

  private Set<Scenario> scenarios() {
    Set<Scenario> found = EnumSet.noneOf(Scenario.class);
    for (String name : scenarios) {
      Scenario known = null;
      for (Scenario scenario : Scenario.values()) {
        known = scenario.wire().equals(name) ? scenario : known;
      }
      if (known == null) {
        throw usage("unknown scenario '" + name + "'");
      }
      found.add(known);
    }
    return found;
  }

  private Replies replies() {
    return switch (replies) {
      case "same" -> Replies.SAME;
      case "any" -> Replies.ANY;
      default -> throw usage("--replies must be same or any");
    };
  }

  private ParameterException usage(String message) {
    return new ParameterException(Objects.requireNonNull(command).commandLine(), message);
  }
}
