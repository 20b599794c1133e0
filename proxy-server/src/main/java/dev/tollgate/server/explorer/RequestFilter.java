package dev.tollgate.server.explorer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Filter of requests. A list that is empty and a member that is null match all; several values of
 * one list are alternatives, and all members have to match.
 *
 * @param from first time
 * @param to end of the time, exclusive
 * @param requestId id or the begin of one
 */
public record RequestFilter(
    Instant from,
    Instant to,
    Dimensions dimensions,
    List<StatusRange> statuses,
    Flags flags,
    Bounds bounds,
    @Nullable String requestId,
    List<String> clientIps) {

  public RequestFilter {
    statuses = List.copyOf(statuses);
    clientIps = List.copyOf(clientIps);
  }

  /** Returns the filter that matches every request of a time. */
  public static RequestFilter between(Instant from, Instant to) {
    return new RequestFilter(
        from, to, Dimensions.ANY, List.of(), Flags.ANY, Bounds.NONE, null, List.of());
  }

  /** Properties by which the view keeps sums. */
  public record Dimensions(
      List<String> keys,
      List<String> models,
      List<String> providers,
      List<String> endpoints,
      List<String> outcomes,
      List<String> codes) {
    public static final Dimensions ANY =
        new Dimensions(List.of(), List.of(), List.of(), List.of(), List.of(), List.of());

    public Dimensions {
      keys = List.copyOf(keys);
      models = List.copyOf(models);
      providers = List.copyOf(providers);
      endpoints = List.copyOf(endpoints);
      outcomes = List.copyOf(outcomes);
      codes = List.copyOf(codes);
    }
  }

  /** Range of HTTP statuses, both ends included. */
  public record StatusRange(int first, int last) {
    private static final Pattern ONE = Pattern.compile("[1-5][0-9]{2}");
    private static final Pattern CLASS = Pattern.compile("[1-5]xx");

    /** Returns the range that {@code 200} or {@code 4xx} stands for; empty for another text. */
    public static Optional<StatusRange> parse(String text) {
      if (ONE.matcher(text).matches()) {
        int status = Integer.parseInt(text);
        return Optional.of(new StatusRange(status, status));
      }
      if (CLASS.matcher(text).matches()) {
        int hundred = (text.charAt(0) - '0') * 100;
        return Optional.of(new StatusRange(hundred, hundred + 99));
      }
      return Optional.empty();
    }
  }

  /** Yes-or-no properties; null matches both. */
  public record Flags(
      @Nullable Boolean stream, @Nullable Boolean fallback, @Nullable Boolean estimated) {
    public static final Flags ANY = new Flags(null, null, null);
  }

  /**
   * Bounds of amounts, each included.
   *
   * @param minTokens of prompt and completion together
   */
  public record Bounds(
      @Nullable Long minCostMicro,
      @Nullable Long maxCostMicro,
      @Nullable Integer minMs,
      @Nullable Integer maxMs,
      @Nullable Integer minTtftMs,
      @Nullable Long minTokens) {
    public static final Bounds NONE = new Bounds(null, null, null, null, null, null);
  }

  /** Returns the query parameters of this filter that the sums of the view cannot answer. */
  public List<String> beyondSums() {
    List<String> names = new ArrayList<>();
    addIf(names, !statuses.isEmpty(), "status");
    addIf(names, flags.stream() != null, "stream");
    addIf(names, flags.fallback() != null, "fallback");
    addIf(names, flags.estimated() != null, "estimated");
    addIf(names, bounds.minCostMicro() != null, "min_cost_micro");
    addIf(names, bounds.maxCostMicro() != null, "max_cost_micro");
    addIf(names, bounds.minMs() != null, "min_ms");
    addIf(names, bounds.maxMs() != null, "max_ms");
    addIf(names, bounds.minTtftMs() != null, "min_ttft_ms");
    addIf(names, bounds.minTokens() != null, "min_tokens");
    addIf(names, requestId != null, "request_id");
    addIf(names, !clientIps.isEmpty(), "client_ip");
    return names;
  }

  private static void addIf(List<String> names, boolean isSet, String name) {
    if (isSet) {
      names.add(name);
    }
  }
}
