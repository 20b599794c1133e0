package dev.tollgate.bench;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Scenarios, rates and durations of a run. */
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

  /**
   * One side of the comparison: the gateway, or the provider itself.
   *
   * @param fields additional header fields of its requests
   */
  public record TargetSpec(
      BaseUrl url, @Nullable Secret key, String model, String streamModel, List<Field> fields) {}

  /** Kinds of measurement, in the order in which they run. */
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
   * Load.
   *
   * @param plain plain requests per second
   * @param stream new streams per second
   * @param openStreams streams that are open at once in the scenario "streams"
   */
  public record Rates(double plain, double stream, int openStreams) {}

  /**
   * Durations.
   *
   * @param each measured time for each side and scenario
   * @param round length of a round, after which the sides alternate
   * @param warmUp time before each scenario, for both sides together
   * @param timeout of a request, from its intended start
   * @param maxDuration limit of the whole run
   */
  public record Times(
      Duration each, Duration round, Duration warmUp, Duration timeout, Duration maxDuration) {}

  /** Limits that are never exceeded. */
  public record Bounds(double ratePerSecondMax, int connectionsMax) {}

  /** Size of a request and of its reply. */
  public record Prompt(int bytes, int tokensMax) {}

  /** Expected streams: all with the same frames, as the mock provider sends them, or any. */
  public enum Replies {
    SAME,
    ANY
  }
}
