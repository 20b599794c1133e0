package dev.tollgate.server.explorer;

import dev.tollgate.server.explorer.RequestRow.Tokens;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sums of one batch of requests, to be added to the tables {@code usage_slot} and {@code
 * usage_hour}. Confined to one thread.
 */
final class UsageSums {
  static final Duration SLOT = Duration.ofMinutes(5);
  static final Duration HOUR = Duration.ofHours(1);

  private static final String ADD =
      """
      INSERT INTO %s AS u (
        slot, org_id, key_id, model, provider, endpoint, outcome, code, requests, prompt_tokens,
        completion_tokens, cached_tokens, reasoning_tokens, cost_micro, operator_cost_micro,
        total_hist, ttft_hist, overhead_hist)
      SELECT s.slot, s.org, s.key, s.model, s.provider, s.endpoint, s.outcome, s.code, s.n,
             s.prompt, s.completion, s.cached, s.reasoning, s.cost, s.operator_cost,
             s.total::integer[], s.ttft::integer[], s.overhead::integer[]
        FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
               AS s (slot, org, key, model, provider, endpoint, outcome, code, n, prompt,
                     completion, cached, reasoning, cost, operator_cost, total, ttft, overhead)
      ON CONFLICT (org_id, slot, key_id, model, provider, endpoint, outcome, code) DO UPDATE
        SET requests = u.requests + excluded.requests,
            prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
            completion_tokens = u.completion_tokens + excluded.completion_tokens,
            cached_tokens = u.cached_tokens + excluded.cached_tokens,
            reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
            cost_micro = u.cost_micro + excluded.cost_micro,
            operator_cost_micro = u.operator_cost_micro + excluded.operator_cost_micro,
            total_hist = latency_hist_add(u.total_hist, excluded.total_hist),
            ttft_hist = latency_hist_add(u.ttft_hist, excluded.ttft_hist),
            overhead_hist = latency_hist_add(u.overhead_hist, excluded.overhead_hist)
      """;

  private final Map<Group, Sum> slots = new TreeMap<>(Group.ORDER);
  private final Map<Group, Sum> hours = new TreeMap<>(Group.ORDER);

  /** What requests of one sum have in common; an empty text stands for an unknown name. */
  private record Group(
      Instant slot,
      String org,
      String key,
      String model,
      String provider,
      String endpoint,
      String outcome,
      String code) {
    static final Comparator<Group> ORDER =
        Comparator.comparing(Group::org)
            .thenComparing(Group::slot)
            .thenComparing(Group::key)
            .thenComparing(Group::model)
            .thenComparing(Group::provider)
            .thenComparing(Group::endpoint)
            .thenComparing(Group::outcome)
            .thenComparing(Group::code);

    static Group of(RequestRow row, Duration length) {
      return new Group(
          begin(row.at(), length),
          row.org().toString(),
          row.key().value(),
          orEmpty(row.model()),
          orEmpty(row.provider()),
          orEmpty(row.endpoint()),
          row.outcome(),
          orEmpty(row.code()));
    }

    private static String orEmpty(@Nullable String text) {
      return text == null ? "" : text;
    }
  }

  /** Mutable sum of one group. */
  private static final class Sum {
    private long requests;
    private long prompt;
    private long completion;
    private long cached;
    private long reasoning;
    private long cost;
    private long operatorCost;
    private final LatencyHistogram total = new LatencyHistogram(LatencyHistogram.FIRST_MS);
    private final LatencyHistogram ttft = new LatencyHistogram(LatencyHistogram.FIRST_MS);
    private final LatencyHistogram overhead =
        new LatencyHistogram(LatencyHistogram.FIRST_OVERHEAD_US);

    void add(RequestRow row) {
      Tokens tokens = row.tokens();
      requests++;
      prompt += tokens.prompt();
      completion += tokens.completion();
      cached += tokens.cached();
      reasoning += tokens.reasoning();
      addCost(row.costMicro(), row.operatorCostMicro());
      total.add(row.timing().totalMs());
      ttft.add(row.timing().ttftMs());
      overhead.add(row.timing().overheadUs());
    }

    void addCost(long more, long operatorMore) {
      cost += more;
      operatorCost += operatorMore;
    }
  }

  private record Entry(Group group, Sum sum) {}

  /** Returns the begin of the slot of this length that a time lies in. */
  static Instant begin(Instant at, Duration length) {
    long millis = length.toMillis();
    return Instant.ofEpochMilli(Math.floorDiv(at.toEpochMilli(), millis) * millis);
  }

  void add(RequestRow row) {
    sums(row).forEach(sum -> sum.add(row));
  }

  /** Adds to the costs of a request that was added before. */
  void addCost(RequestRow row, long more, long operatorMore) {
    sums(row).forEach(sum -> sum.addCost(more, operatorMore));
  }

  private List<Sum> sums(RequestRow row) {
    return List.of(
        slots.computeIfAbsent(Group.of(row, SLOT), _ -> new Sum()),
        hours.computeIfAbsent(Group.of(row, HOUR), _ -> new Sum()));
  }

  /** Adds the sums to both tables. */
  void write(Connection connection) throws SQLException {
    write(connection, "usage_slot", slots);
    write(connection, "usage_hour", hours);
  }

  private static void write(Connection connection, String table, Map<Group, Sum> sums)
      throws SQLException {
    if (sums.isEmpty()) {
      return;
    }
    List<Entry> all = new ArrayList<>();
    sums.forEach((group, sum) -> all.add(new Entry(group, sum)));
    try (PreparedStatement add = connection.prepareStatement(ADD.replace("%s", table))) {
      var columns = new Columns<>(connection, add, all);
      columns.text("timestamptz", each -> each.group().slot().toString());
      columns.text("uuid", each -> each.group().org());
      columns.text("text", each -> each.group().key());
      columns.text("text", each -> each.group().model());
      columns.text("text", each -> each.group().provider());
      columns.text("text", each -> each.group().endpoint());
      columns.text("text", each -> each.group().outcome());
      columns.text("text", each -> each.group().code());
      columns.number(each -> each.sum().requests);
      columns.number(each -> each.sum().prompt);
      columns.number(each -> each.sum().completion);
      columns.number(each -> each.sum().cached);
      columns.number(each -> each.sum().reasoning);
      columns.number(each -> each.sum().cost);
      columns.number(each -> each.sum().operatorCost);
      columns.text("text", each -> each.sum().total.sql());
      columns.text("text", each -> each.sum().ttft.sql());
      columns.text("text", each -> each.sum().overhead.sql());
      add.executeUpdate();
    }
  }
}
