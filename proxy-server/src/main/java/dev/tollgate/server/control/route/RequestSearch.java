package dev.tollgate.server.control.route;

import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.explorer.RequestFilter;
import dev.tollgate.server.explorer.RequestFilter.Bounds;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestFilter.Flags;
import dev.tollgate.server.explorer.RequestFilter.StatusRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Filters of requests in a query. Repeated parameters are alternatives, different ones have all to
 * match.
 *
 * @param from default: 24 hours before the end
 * @param to end, exclusive; default: now
 * @param status such as 200 or 4xx
 * @param minTokens of prompt and completion together
 * @param requestId an id or the begin of one
 */
public record RequestSearch(
    @Nullable Instant from,
    @Nullable Instant to,
    List<String> key,
    List<String> model,
    List<String> provider,
    List<String> endpoint,
    List<String> status,
    List<String> outcome,
    List<String> code,
    @Nullable Boolean stream,
    @Nullable Boolean fallback,
    @Nullable Boolean estimated,
    @Nullable Long minCostMicro,
    @Nullable Long maxCostMicro,
    @Nullable Integer minMs,
    @Nullable Integer maxMs,
    @Nullable Integer minTtftMs,
    @Nullable Long minTokens,
    @Nullable String requestId,
    List<String> clientIp) {

  private static final Duration LENGTH_INITIAL = Duration.ofDays(1);

  /** Time that a caller's clock may be ahead. */
  private static final Duration AHEAD_MAX = Duration.ofHours(1);

  /**
   * Returns the filter. Times before those that are kept, and after now, are cut off.
   *
   * @throws Refused 400 with every problem
   */
  RequestFilter filter(Instant now, Duration kept) {
    Instant end = to == null ? now : earlier(to, now.plus(AHEAD_MAX));
    Instant begin = from == null ? end.minus(LENGTH_INITIAL) : from;
    List<Issue> issues = new ArrayList<>();
    if (!begin.isBefore(end)) {
      issues.add(new Issue("from", "must be before to, and in the past"));
    }
    List<StatusRange> statuses = new ArrayList<>();
    for (String text : status) {
      StatusRange.parse(text)
          .ifPresentOrElse(
              statuses::add, () -> issues.add(new Issue("status", "must be such as 200 or 4xx")));
    }
    if (!issues.isEmpty()) {
      throw Refused.invalid(issues);
    }
    Instant first = later(begin, now.minus(kept));
    return new RequestFilter(
        first,
        later(end, first),
        new Dimensions(key, model, provider, endpoint, outcome, code),
        statuses,
        new Flags(stream, fallback, estimated),
        new Bounds(minCostMicro, maxCostMicro, minMs, maxMs, minTtftMs, minTokens),
        requestId,
        clientIp);
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
