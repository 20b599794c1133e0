package dev.tollgate.server.explorer;

import dev.tollgate.server.explorer.RequestFilter.Bounds;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestFilter.Flags;
import dev.tollgate.server.explorer.RequestFilter.StatusRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Filters of the rows of {@link ExplorerSeed}, one for each property, and each pair of them. */
record BenchFilters(Instant from, Instant to) {
  private static final Map<String, UnaryOperator<Draft>> ALL = all();

  private static Map<String, UnaryOperator<Draft>> all() {
    Map<String, UnaryOperator<Draft>> all = new LinkedHashMap<>();
    all.put("key", draft -> draft.dimension(0, "key00007"));
    all.put("model", draft -> draft.dimension(1, "vendor/model-3"));
    all.put("provider", draft -> draft.dimension(2, "provider-2"));
    all.put("endpoint", draft -> draft.dimension(3, "/v1/embeddings"));
    all.put("outcome", draft -> draft.dimension(4, "provider_error"));
    all.put("code", draft -> draft.dimension(5, "provider_error"));
    all.put("status", draft -> draft.status("5xx"));
    all.put("stream", draft -> draft.flags(new Flags(true, null, null)));
    all.put("fallback", draft -> draft.flags(new Flags(null, true, null)));
    all.put("estimated", draft -> draft.flags(new Flags(null, null, true)));
    all.put("cost", draft -> draft.bounds(new Bounds(990L, null, null, null, null, null)));
    all.put("ms", draft -> draft.bounds(new Bounds(null, null, 4_900, null, null, null)));
    all.put("first token", draft -> draft.bounds(new Bounds(null, null, null, null, 890, null)));
    all.put("tokens", draft -> draft.bounds(new Bounds(null, null, null, null, null, 7_700L)));
    all.put("address", draft -> draft.address("192.0.2.33"));
    return all;
  }

  /** Filter that is being put together. */
  private record Draft(
      List<List<String>> dimensions,
      List<StatusRange> statuses,
      Flags flags,
      Bounds bounds,
      List<String> addresses) {
    static Draft any() {
      return new Draft(
          List.of(List.of(), List.of(), List.of(), List.of(), List.of(), List.of()),
          List.of(),
          Flags.ANY,
          Bounds.NONE,
          List.of());
    }

    Draft dimension(int index, String value) {
      List<List<String>> its = new ArrayList<>(dimensions);
      its.set(index, List.of(value));
      return new Draft(its, statuses, flags, bounds, addresses);
    }

    Draft status(String text) {
      var range = StatusRange.parse(text).orElseThrow();
      return new Draft(dimensions, List.of(range), flags, bounds, addresses);
    }

    Draft flags(Flags more) {
      var its =
          new Flags(
              either(more.stream(), flags.stream()),
              either(more.fallback(), flags.fallback()),
              either(more.estimated(), flags.estimated()));
      return new Draft(dimensions, statuses, its, bounds, addresses);
    }

    Draft bounds(Bounds more) {
      var its =
          new Bounds(
              either(more.minCostMicro(), bounds.minCostMicro()),
              null,
              either(more.minMs(), bounds.minMs()),
              null,
              either(more.minTtftMs(), bounds.minTtftMs()),
              either(more.minTokens(), bounds.minTokens()));
      return new Draft(dimensions, statuses, flags, its, addresses);
    }

    private static <T> @Nullable T either(@Nullable T one, @Nullable T other) {
      return one == null ? other : one;
    }

    Draft address(String its) {
      return new Draft(dimensions, statuses, flags, bounds, List.of(its));
    }

    RequestFilter filter(Instant from, Instant to) {
      return new RequestFilter(
          from,
          to,
          new Dimensions(
              dimensions.get(0),
              dimensions.get(1),
              dimensions.get(2),
              dimensions.get(3),
              dimensions.get(4),
              dimensions.get(5)),
          statuses,
          flags,
          bounds,
          null,
          addresses);
    }
  }

  /** Returns each filter by its name. */
  Map<String, RequestFilter> single() {
    Map<String, RequestFilter> filters = new LinkedHashMap<>();
    ALL.forEach((name, its) -> filters.put(name, its.apply(Draft.any()).filter(from, to)));
    return filters;
  }

  /** Returns each pair of filters by their names. */
  Map<String, RequestFilter> pairs() {
    Map<String, RequestFilter> filters = new LinkedHashMap<>();
    ALL.forEach(
        (one, its) ->
            ALL.forEach(
                (other, others) -> {
                  if (one.compareTo(other) < 0) {
                    filters.put(
                        one + " and " + other,
                        others.apply(its.apply(Draft.any())).filter(from, to));
                  }
                }));
    return filters;
  }

  /** Returns the filter that matches one row of all, the oldest. */
  RequestFilter rare() {
    var bounds = new Bounds(999_999L, null, null, null, null, null);
    return Draft.any().bounds(bounds).filter(from, to);
  }

  /** Returns the filter of one value. */
  RequestFilter one(String name) {
    return single().getOrDefault(name, rare());
  }
}
