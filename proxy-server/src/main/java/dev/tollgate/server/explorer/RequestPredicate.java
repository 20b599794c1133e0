package dev.tollgate.server.explorer;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestFilter.Bounds;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestFilter.Flags;
import dev.tollgate.server.explorer.RequestFilter.StatusRange;
import dev.tollgate.server.postgres.session.SqlParts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Predicate of a {@link RequestFilter}, as SQL on the table {@code v} and as a test of a row. Both
 * stand side by side for each condition, so that they stay the same.
 */
public final class RequestPredicate implements Predicate<RequestRow> {
  /** Is greater than every character of an id. */
  private static final String AFTER_ALL = "~";

  private final List<Condition> ids;
  private final List<Condition> properties;

  /** Condition on one request. */
  record Condition(String sql, List<Object> values, Predicate<RequestRow> matches)
      implements SqlParts.Condition {
    static Condition of(String sql, Object value, Predicate<RequestRow> matches) {
      return new Condition(sql, List.of(value), matches);
    }
  }

  private RequestPredicate(List<Condition> ids, List<Condition> properties) {
    this.ids = List.copyOf(ids);
    this.properties = List.copyOf(properties);
  }

  /** Returns the predicate of a whole filter. */
  public static RequestPredicate of(RequestFilter filter) {
    List<Condition> ids = new ArrayList<>();
    String from = RequestId.lowestAt(filter.from().toEpochMilli());
    String to = RequestId.lowestAt(filter.to().toEpochMilli());
    ids.add(Condition.of("v.request_id >= ?", from, row -> row.requestId().compareTo(from) >= 0));
    ids.add(Condition.of("v.request_id < ?", to, row -> row.requestId().compareTo(to) < 0));
    String id = filter.requestId();
    if (id != null) {
      ids.add(
          new Condition(
              "v.request_id >= ? AND v.request_id < ?",
              List.of(id, id + AFTER_ALL),
              row -> row.requestId().startsWith(id)));
    }
    List<Condition> properties = new ArrayList<>(dimensions(filter.dimensions()));
    addStatuses(properties, filter.statuses());
    addFlags(properties, filter.flags());
    addBounds(properties, filter.bounds());
    addOneOf(properties, "client_ip", filter.clientIps(), RequestRow::clientIp);
    return new RequestPredicate(ids, properties);
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
    addBound(all, "v.cost_micro >=", bounds.minCostMicro(), RequestRow::costMicro);
    addBound(all, "v.cost_micro <=", bounds.maxCostMicro(), RequestRow::costMicro);
    addBound(all, "v.total_ms >=", bounds.minMs(), row -> row.timing().totalMs());
    addBound(all, "v.total_ms <=", bounds.maxMs(), row -> row.timing().totalMs());
    addBound(all, "v.ttft_ms >=", bounds.minTtftMs(), row -> row.timing().ttftMs());
    addBound(
        all,
        "v.prompt_tokens + v.completion_tokens >=",
        bounds.minTokens(),
        row -> row.tokens().prompt() + row.tokens().completion());
  }

  private static void addBound(
      List<Condition> all,
      String sql,
      @Nullable Number bound,
      Function<RequestRow, @Nullable Number> its) {
    if (bound != null) {
      long end = bound.longValue();
      boolean isLeast = sql.endsWith(">=");
      all.add(
          Condition.of(
              sql + " ?",
              end,
              row -> {
                Number value = its.apply(row);
                return value != null
                    && (isLeast ? value.longValue() >= end : value.longValue() <= end);
              }));
    }
  }

  /** Returns the conditions on the request's id, whose begin is its time. */
  List<Condition> ids() {
    return ids;
  }

  /** Returns all other conditions. */
  List<Condition> properties() {
    return properties;
  }

  /** Tests a row, whose organization is not looked at. */
  @Override
  public boolean test(RequestRow row) {
    return Stream.concat(ids.stream(), properties.stream())
        .allMatch(each -> each.matches().test(row));
  }
}
