package dev.tollgate.server.postgres.jobs;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.job.JobRepository.LookupResult;
import dev.tollgate.core.job.JobRepository.SubmitResult;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of job submissions to this node by result, for metrics. Instances are thread-safe. */
final class SubmissionCounts {
  private final Map<Result, LongAdder> counts = new EnumMap<>(Result.class);

  /** Result of a job submission, as a metric label. */
  private enum Result {
    MADE,
    REPLAYED,
    CONFLICT,
    TOO_LITTLE,
    CROWDED,
    UNAVAILABLE;

    static Result of(SubmitResult submitted) {
      return switch (submitted) {
        case SubmitResult.Created _ -> MADE;
        case SubmitResult.Replayed _ -> REPLAYED;
        case SubmitResult.Conflict _ -> CONFLICT;
        case SubmitResult.InsufficientBudget _ -> TOO_LITTLE;
        case SubmitResult.TooManyPending _ -> CROWDED;
        case SubmitResult.Unavailable _ -> UNAVAILABLE;
      };
    }
  }

  SubmissionCounts() {
    for (Result each : Result.values()) {
      counts.put(each, new LongAdder());
    }
  }

  /** Counts the result of a submission, and returns it. */
  SubmitResult counted(SubmitResult submitted) {
    count(Result.of(submitted));
    return submitted;
  }

  /** Counts the result of a lookup that ends a submission, and returns it. */
  LookupResult counted(LookupResult found) {
    switch (found) {
      case LookupResult.NotSubmitted _ -> {} // the submission that follows is counted
      case LookupResult.Replayed _ -> count(Result.REPLAYED);
      case LookupResult.Conflict _ -> count(Result.CONFLICT);
      case LookupResult.TooManyPending _ -> count(Result.CROWDED);
      case LookupResult.Unavailable _ -> count(Result.UNAVAILABLE);
    }
    return found;
  }

  private void count(Result result) {
    requireNonNull(counts.get(result)).increment();
  }

  /** Returns the totals by label. */
  Map<List<String>, Long> totals() {
    Map<List<String>, Long> totals = new HashMap<>();
    counts.forEach(
        (result, count) ->
            totals.put(List.of(result.name().toLowerCase(Locale.ROOT)), count.sum()));
    return totals;
  }
}
