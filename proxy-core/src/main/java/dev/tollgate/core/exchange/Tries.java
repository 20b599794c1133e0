package dev.tollgate.core.exchange;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.RequestRecord.AttemptRecord;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NextTry;
import dev.tollgate.core.routing.RoutePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The tries of one request: how each ended, and which one follows a failure. All tries at a plain
 * request share one deadline; a stream has none.
 */
final class Tries {
  private final RoutePlan plan;
  private final long begunNanos;
  private final boolean stream;
  private final List<AttemptRecord> records = new ArrayList<>(1);
  private final List<NextTry.Failed> failures = new ArrayList<>(1);
  private boolean selectedFailed;

  /**
   * @param begunNanos when the whole request was here, on the loop's ticker
   */
  Tries(RoutePlan plan, long begunNanos, boolean stream) {
    this.plan = plan;
    this.begunNanos = begunNanos;
    this.stream = stream;
  }

  /** When the whole request must be over if this candidate is asked, on the loop's ticker. */
  long deadline(Candidate candidate) {
    Duration total = candidate.provider().clocks().total();
    return stream ? AttemptClock.NEVER : begunNanos + total.toNanos();
  }

  void succeeded(Candidate candidate, Attempt attempt, long nowNanos) {
    record(candidate, attempt, "ok", "", nowNanos);
    selectedFailed = false;
  }

  void cancelled(Candidate candidate, Attempt attempt, long nowNanos) {
    record(candidate, attempt, "cancelled", "", nowNanos);
    selectedFailed = false;
  }

  void failed(Candidate candidate, Attempt attempt, UpstreamFailure failure, long nowNanos) {
    String outcome = failure.kind().name().toLowerCase(Locale.ROOT);
    record(candidate, attempt, outcome, failure.reason(), nowNanos);
    failures.add(new NextTry.Failed(candidate, failure));
    selectedFailed = failure.isProvidersFault();
  }

  private void record(
      Candidate candidate, Attempt attempt, String outcome, String reason, long nowNanos) {
    Duration took = Duration.ofNanos(nowNanos - attempt.startedNanos());
    StreamReader stream = attempt.stream();
    long dropped = stream == null ? 0 : stream.chat().badEvents();
    records.add(
        new AttemptRecord(candidate.id(), outcome, attempt.status(), took, dropped, reason));
  }

  /** What follows the last failure: a try only if it can begin before its deadline. */
  NextTry next(long nowNanos) {
    return switch (NextTry.after(plan, failures, ThreadLocalRandom.current())) {
      case NextTry.Try next ->
          nowNanos + next.delay().toNanos() < deadline(next.candidate())
              ? next
              : new NextTry.GiveUp();
      case NextTry.GiveUp none -> none;
    };
  }

  /**
   * The value of {@code X-LLM-Routing-Reason}.
   *
   * @param attempt the last try at {@code selected}, perhaps under way
   */
  String reason(
      Candidate selected, @Nullable Attempt attempt, MicroUsd cost, boolean committedEarly) {
    boolean asking = attempt != null && !attempt.isOver();
    int begun = records.size() + (asking ? 1 : 0);
    List<Candidate> asked = new ArrayList<>(failures.size() + 1);
    asked.add(selected);
    failures.forEach(failed -> asked.add(failed.candidate()));
    boolean healthy = asking || !selectedFailed;
    return plan.reason(selected, healthy, plan.fallbacks(asked, begun), cost, committedEarly);
  }

  List<AttemptRecord> records() {
    return List.copyOf(records);
  }
}
