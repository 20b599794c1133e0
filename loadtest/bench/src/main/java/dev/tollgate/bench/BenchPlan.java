package dev.tollgate.bench;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What to measure, and for how long at most. */
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
   * One who is asked: the gateway, or the provider itself.
   *
   * @param fields header fields that it wants beside those of any chat request
   */
  public record TargetSpec(
      BaseUrl url, @Nullable Secret key, String model, String streamModel, List<Field> fields) {}

  /** What can be measured, in this order. */
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
   * How much is asked.
   *
   * @param plain plain requests per second
   * @param stream new streams per second
   * @param openStreams streams that are open at once in the scenario of standing streams
   */
  public record Rates(double plain, double stream, int openStreams) {}

  /**
   * How long.
   *
   * @param each measured for each side and scenario
   * @param round after which it is the other side's turn
   * @param warmUp before each scenario, both sides together
   * @param timeout of a request, from when it should have started
   * @param whole when everything ends, whatever was measured
   */
  public record Times(
      Duration each, Duration round, Duration warmUp, Duration timeout, Duration whole) {}

  /** What is never exceeded. */
  public record Bounds(double ratePerSecondMax, int connectionsMax) {}

  /** What is asked for. */
  public record Prompt(int bytes, int tokensMax) {}

  /** Whether every stream has the same frames, as those of the mock provider have. */
  public enum Replies {
    SAME,
    ANY
  }
}
