package dev.tollgate.server.explorer;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestFilter.Bounds;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestFilter.Flags;
import dev.tollgate.server.explorer.RequestFilter.StatusRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Predicate of a {@link RequestFilter}, as SQL on the table {@code v} and as a test of a row. Both
 * stand side by side for each condition, so that they stay the same.
 */
public final class RequestPredicate implements Predicate<RequestRow> {
  /** Is greater than every character of an id. */
  static final String AFTER_ALL = "~";

  private final List<Condition> conditions;

  /** Condition on one request. */
  record Condition(String sql, List<Object> values, Predicate<RequestRow> matches) {
    static Condition of(String sql, Object value, Predicate<RequestRow> matches) {
      return new Condition(sql, List.of(value), matches);
    }
  }

  private RequestPredicate(List<Condition> conditions) {
    this.conditions = conditions;
  }

  /** Returns the predicate of a whole filter. */
  public static RequestPredicate of(RequestFilter filter) {
    List<Condition> all = new ArrayList<>();
    String from = RequestId.lowestAt(filter.from().toEpochMilli());
    String to = RequestId.lowestAt(filter.to().toEpochMilli());
    all.add(Condition.of("v.request_id >= ?", from, row -> row.requestId().compareTo(from) >= 0));
    all.add(Condition.of("v.request_id < ?", to, row -> row.requestId().compareTo(to) < 0));
    all.addAll(dimensions(filter.dimensions()));
    addStatuses(all, filter.statuses());
    addFlags(all, filter.flags());
    addBounds(all, filter.bounds());
    addOneOf(all, "client_ip", filter.clientIps(), RequestRow::clientIp);
    String id = filter.requestId();
    if (id != null) {
      all.add(
          new Condition(
              "v.request_id >= ? AND v.request_id < ?",
              List.of(id, id + AFTER_ALL),
              row -> row.requestId().startsWith(id)));
    }
    return new RequestPredicate(all);
  }

  /** Returns the conditions that the sums of the view can answer too. */
  static List<Condition> dimensions(Dimensions of) {
    List<Condition> all = new ArrayList<>();
    addOneOf(all, "key_id", of.keys(), row -> row.key().value());
    addOneOf(all, "model", of.models(), RequestRow::model);
    addOneOf(all, "provider", of.providers(), RequestRow::provider);
    addOneOf(all, "endpoint", of.endpoints(), RequestRow::endpoint);
    addOneOf(all, "outcome", of.outcomes(), RequestRow::outcome);
    addOneOf(all, "code", of.codes(), RequestRow::code);
    return all;
  }

  private static void addOneOf(
      List<Condition> all,
      String column,
      List<String> values,
      Function<RequestRow, @Nullable String> its) {
    if (!values.isEmpty()) {
      all.add(
          Condition.of(
              "v." + column + " = ANY (?)",
              values,
              row -> {
                String value = its.apply(row);
                return value != null && values.contains(value);
              }));
    }
  }

  private static void addStatuses(List<Condition> all, List<StatusRange> ranges) {
    if (!ranges.isEmpty()) {
      List<Object> ends = new ArrayList<>();
      for (StatusRange range : ranges) {
        ends.add(range.first());
        ends.add(range.last());
      }
      String sql =
          ranges.stream()
              .map(_ -> "v.status BETWEEN ? AND ?")
              .collect(Collectors.joining(" OR ", "(", ")"));
      all.add(
          new Condition(
              sql,
              ends,
              row -> {
                Integer status = row.status();
                return status != null
                    && ranges.stream().anyMatch(r -> r.first() <= status && status <= r.last());
              }));
    }
  }

  private static void addFlags(List<Condition> all, Flags flags) {
    addEqual(all, "stream", flags.stream(), row -> row.flags().stream());
    addEqual(all, "fallback", flags.fallback(), row -> row.flags().fallback());
    addEqual(all, "estimated", flags.estimated(), row -> row.flags().estimated());
  }

  private static void addEqual(
      List<Condition> all,
      String column,
      @Nullable Boolean value,
      Function<RequestRow, @Nullable Boolean> its) {
    if (value != null) {
      all.add(
          Condition.of(
              "v." + column + " = ?", value, row -> Objects.equals(its.apply(row), value)));
    }
  }

  private static void addBounds(List<Condition> all, Bounds bounds) {
    addMin(all, "v.cost_micro", bounds.minCostMicro(), RequestRow::costMicro);
    addMax(all, "v.cost_micro", bounds.maxCostMicro(), RequestRow::costMicro);
    addMin(all, "v.total_ms", bounds.minMs(), row -> row.timing().totalMs());
    addMax(all, "v.total_ms", bounds.maxMs(), row -> row.timing().totalMs());
    addMin(all, "v.ttft_ms", bounds.minTtftMs(), row -> row.timing().ttftMs());
    addMin(
        all,
        "v.prompt_tokens + v.completion_tokens",
        bounds.minTokens(),
        row -> row.tokens().prompt() + row.tokens().completion());
  }

  private static void addMin(
      List<Condition> all,
      String sql,
      @Nullable Number min,
      Function<RequestRow, @Nullable Number> its) {
    if (min != null) {
      all.add(
          Condition.of(
              sql + " >= ?",
              min.longValue(),
              row -> {
                Number value = its.apply(row);
                return value != null && value.longValue() >= min.longValue();
              }));
    }
  }

  private static void addMax(
      List<Condition> all,
      String sql,
      @Nullable Number max,
      Function<RequestRow, @Nullable Number> its) {
    if (max != null) {
      all.add(
          Condition.of(
              sql + " <= ?",
              max.longValue(),
              row -> {
                Number value = its.apply(row);
                return value != null && value.longValue() <= max.longValue();
              }));
    }
  }

  /** Tests a row, whose organization is not looked at. */
  @Override
  public boolean test(RequestRow row) {
    return conditions.stream().allMatch(each -> each.matches().test(row));
  }

  /** Appends the conditions, each behind {@code AND}. */
  void addTo(SqlQuery query) {
    conditions.forEach(each -> query.add("AND").add(each));
  }
}
