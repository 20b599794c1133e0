package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Cause;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Placement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * List of one request's attempts for its request record: why each was started and how it ended.
 * Loop-confined.
 */
final class AttemptHistory {
  private final Timeline timeline;
  private final List<StartedAttempt> started = new ArrayList<>(1);
  private final List<AttemptRecord> records = new ArrayList<>(1);

  AttemptHistory(Timeline timeline) {
    this.timeline = timeline;
  }

  /**
   * An attempt, perhaps still running.
   *
   * @param cause null for the first
   */
  private record StartedAttempt(Placement placement, @Nullable Cause cause) {}

  void started(Placement placement, @Nullable Cause cause) {
    started.add(new StartedAttempt(placement, cause));
  }

  /** Returns the number of attempts, those that lost a race included. */
  int count() {
    return started.size();
  }

  /** True if an attempt at this candidate was started. */
  boolean includes(Candidate candidate) {
    return started.stream().anyMatch(one -> one.placement().candidate().isSame(candidate));
  }

  /** Records an attempt that failed. */
  void failed(Attempt attempt, UpstreamFailure failure, long nowNanos) {
    String outcome = failure.kind().wire();
    record(attempt, outcome, failure.reason(), failure.recordedMessage(), nowNanos);
  }

  /**
   * Records an attempt that did not fail.
   *
   * @param outcome {@code ok} or {@code cancelled}
   */
  void ended(Attempt attempt, String outcome, long nowNanos) {
    record(attempt, outcome, "", "", nowNanos);
  }

  private void record(
      Attempt attempt, String outcome, String reason, String message, long nowNanos) {
    long begin = timeline.sinceAdmission(attempt.startedNanos());
    Duration took = Duration.ofNanos(nowNanos - attempt.startedNanos());
    FlowReader reader = attempt.stream();
    long dropped = reader == null ? 0 : reader.reply().badEvents();
    records.add(
        new AttemptRecord(
            attempt.placement().candidate().id(),
            new RequestRecord.Result(outcome, attempt.status(), begin, took, reason, message),
            dropped,
            attempt.anomalies(),
            attempt.opening().wire(),
            attempt.resent(),
            attempt.unsent(),
            cause(attempt.placement())));
  }

  private @Nullable Cause cause(Placement placement) {
    for (StartedAttempt one : started) {
      if (one.placement() == placement) {
        return one.cause();
      }
    }
    return null;
  }

  List<AttemptRecord> records() {
    return List.copyOf(records);
  }
}
