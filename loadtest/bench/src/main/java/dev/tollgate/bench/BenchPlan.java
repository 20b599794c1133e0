package dev.tollgate.bench;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Configuration of a benchmark run: sides, scenarios, request rates, durations and limits. */
public record BenchPlan(
    TargetSpec target,
    @Nullable TargetSpec direct,
    Set<Scenario> scenarios,
    Rates rates,
    Times times,
    Bounds bounds,
    Prompt prompt,
    Replies replies,
    @Nullable Long pid) {

  /** Returns a copy that compares with this provider. */
  public BenchPlan withDirect(TargetSpec provider) {
    return new BenchPlan(target, provider, scenarios, rates, times, bounds, prompt, replies, pid);
  }

  /**
   * Server to measure: the gateway, or the provider itself for comparison.
   *
   * @param fields additional header fields of its requests
   */
  public record TargetSpec(
      BaseUrl url, @Nullable Secret key, String model, String streamModel, List<Field> fields) {}

  /** Kind of measurement; a run measures them in this order. */
  public enum Scenario {
    PLAIN("plain"),
    STREAM("stream"),
    STREAMS("streams"),
    FRONTIER("frontier");

    private final String wire;

    Scenario(String wire) {
      this.wire = wire;
    }

    public String wire() {
      return wire;
    }
  }

  /**
   * Request rates and number of open streams that a run generates.
   *
   * @param plain plain requests per second
   * @param stream new streams per second
   * @param openStreams streams that are open at once in the scenario "streams"
   */
  public record Rates(double plain, double stream, int openStreams) {}

  /**
   * Durations and timeouts of a run.
   *
   * @param each time measured for each side and scenario
   * @param round length of a round, after which the sides alternate
   * @param warmUp time before each scenario, for both sides together
   * @param timeout of a request, from its intended start
   * @param maxDuration limit of the whole run
   */
  public record Times(
      Duration each, Duration round, Duration warmUp, Duration timeout, Duration maxDuration) {}

  /** Limits of the generated load, which are never exceeded. */
  public record Bounds(double ratePerSecondMax, int connectionsMax) {}

  /** Size of a chat request in bytes and of its reply in tokens. */
  public record Prompt(int bytes, int tokensMax) {}

  /** Expected frames of streams: the same in all, as the mock provider sends them, or any. */
  public enum Replies {
    SAME,
    ANY
  }
}
