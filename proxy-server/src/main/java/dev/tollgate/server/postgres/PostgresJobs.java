package dev.tollgate.server.postgres;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.exchange.Offload;
import dev.tollgate.core.exchange.Offload.Outcome;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.job.JobTicket;
import dev.tollgate.core.job.JobWish;
import dev.tollgate.core.job.Jobs;
import dev.tollgate.core.tenant.OrgPlaces;
import dev.tollgate.server.postgres.JobSubmissions.Answer;
import io.netty.util.concurrent.EventExecutor;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of all nodes in PostgreSQL and by its clock, for event loops: the statements run where they
 * may wait, and what has to be waited for is asked for again.
 */
public final class PostgresJobs implements Jobs {
  /** Of one organization that ask at once: beyond it waits for itself. */
  public static final int ORG_ASKS_MAX = 128;

  /** After that nobody waits any more for a thread. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(2);

  /** What living nodes do not use comes back within it, or the balance is in use. */
  private static final Duration RECALL_MAX = Duration.ofSeconds(1);

  /** A worker takes up what is to be canceled at once, and its provider answers within it. */
  private static final Duration CANCEL_MAX = Duration.ofSeconds(8);

  private static final Duration BETWEEN_RECALLS = Duration.ofMillis(60);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(150);

  private final Rows changes;
  private final Rows looks;
  private final OrgPlaces turns = new OrgPlaces(ORG_ASKS_MAX);
  private final Runnable due;
  private final Map<Result, LongAdder> submitted = new EnumMap<>(Result.class);

  /**
   * Connections, and the threads that have them to themselves.
   *
   * @param offload of as many threads as the pool has connections
   */
  record Lane(DataSource pool, Offload offload) {}

  /** The rows by way of a lane's connections. */
  private record Rows(JobSubmissions submissions, JobViews views, Offload offload) {
    static Rows of(Lane lane, Duration remembered, Duration ttl) {
      return new Rows(
          new JobSubmissions(lane.pool(), remembered, ttl),
          new JobViews(lane.pool()),
          lane.offload());
    }

    <T> void run(EventExecutor loop, Callable<T> work, Consumer<Outcome<T>> whenDone) {
      offload.run(loop, loop.ticker().nanoTime() + WAIT_MAX.toNanos(), work, whenDone);
    }
  }

  /** What became of a submission: the label of the metric. */
  private enum Result {
    MADE,
    REPLAYED,
    CONFLICT,
    TOO_LITTLE,
    CROWDED,
    UNAVAILABLE;

    static Result of(Submitted submitted) {
      return switch (submitted) {
        case Submitted.Made _ -> MADE;
        case Submitted.Replayed _ -> REPLAYED;
        case Submitted.Conflict _ -> CONFLICT;
        case Submitted.TooLittle _ -> TOO_LITTLE;
        case Submitted.Crowded _ -> CROWDED;
        case Submitted.Unavailable _ -> UNAVAILABLE;
      };
    }
  }

  /**
   * @param changes for what may wait for others' locks
   * @param looks for what never does, so that whoever only looks does not wait behind it
   * @param remembered how long a submission is not carried out a second time
   * @param ttl after which a job expires
   * @param due something is to be done with a job; it must not block
   */
  PostgresJobs(Lane changes, Lane looks, Duration remembered, Duration ttl, Runnable due) {
    this.changes = Rows.of(changes, remembered, ttl);
    this.looks = Rows.of(looks, remembered, ttl);
    this.due = due;
    for (Result each : Result.values()) {
      submitted.put(each, new LongAdder());
    }
  }

  /** Submissions, by what became of them. */
  public Map<List<String>, Long> submissions() {
    Map<List<String>, Long> totals = new HashMap<>();
    submitted.forEach(
        (result, count) ->
            totals.put(List.of(result.name().toLowerCase(Locale.ROOT)), count.sum()));
    return totals;
  }

  /** Jobs of all nodes that are not over, by status, at most so many of them counted. Blocks. */
  public Map<JobStatus, Long> open(int most) throws SQLException {
    return looks.views().open(most);
  }

  // Submission

  @Override
  public void recall(JobTicket ticket, EventExecutor loop, Consumer<Recalled> whenKnown) {
    if (!turns.begin(ticket.org())) {
      count(Result.CROWDED);
      whenKnown.accept(new Recalled.Crowded());
      return;
    }
    changes.run(
        loop,
        () -> recalled(ticket),
        outcome -> {
          turns.end(ticket.org());
          whenKnown.accept(counted(recalled(outcome)));
        });
  }

  private Recalled recalled(JobTicket ticket) throws SQLException {
    Optional<Answer> earlier = changes.submissions().earlier(ticket);
    if (earlier.isEmpty()) {
      return new Recalled.Fresh();
    }
    return earlier.get() instanceof Answer.Replay replay
        ? new Recalled.Replayed(known(ticket.org(), replay.job()))
        : new Recalled.Conflict();
  }

  private static Recalled recalled(Outcome<Recalled> outcome) {
    return switch (outcome) {
      case Outcome.Done<Recalled> done -> done.value();
      case Outcome.Refused<Recalled> refused -> new Recalled.Unavailable(refused.reason());
      case Outcome.Failed<Recalled> failed -> new Recalled.Unavailable(failed.cause().toString());
    };
  }

  private Recalled counted(Recalled recalled) {
    switch (recalled) {
      case Recalled.Fresh _ -> {} // its submission counts
      case Recalled.Replayed _ -> count(Result.REPLAYED);
      case Recalled.Conflict _ -> count(Result.CONFLICT);
      case Recalled.Crowded _ -> count(Result.CROWDED);
      case Recalled.Unavailable _ -> count(Result.UNAVAILABLE);
    }
    return recalled;
  }

  @Override
  public void submit(JobWish wish, EventExecutor loop, Consumer<Submitted> whenKnown) {
    if (!turns.begin(wish.org())) {
      whenKnown.accept(counted(new Submitted.Crowded()));
      return;
    }
    long giveUp = loop.ticker().nanoTime() + RECALL_MAX.toNanos();
    submit(
        new Sent(wish, loop, giveUp),
        Map.of(),
        outcome -> {
          turns.end(wish.org());
          whenKnown.accept(counted(outcome));
        });
  }

  private Submitted counted(Submitted outcome) {
    count(Result.of(outcome));
    return outcome;
  }

  private void count(Result result) {
    requireNonNull(submitted.get(result)).increment();
  }

  private record Sent(JobWish wish, EventExecutor loop, long giveUpNanos) {
    boolean isLate() {
      return loop.ticker().nanoTime() - giveUpNanos >= 0;
    }
  }

  private void submit(Sent sent, Map<String, Long> awaited, Consumer<Submitted> whenKnown) {
    changes.run(
        sent.loop(),
        () -> submitted(sent.wish(), awaited),
        outcome -> {
          switch (outcome) {
            case Outcome.Done<Step> done -> next(sent, done.value(), whenKnown);
            case Outcome.Refused<Step> refused ->
                whenKnown.accept(new Submitted.Unavailable(refused.reason()));
            case Outcome.Failed<Step> failed ->
                whenKnown.accept(new Submitted.Unavailable(failed.cause().toString()));
          }
        });
  }

  /** What a statement brought. */
  private sealed interface Step {
    record Known(Submitted submitted) implements Step {}

    record Again(Map<String, Long> awaited) implements Step {}
  }

  private Step submitted(JobWish wish, Map<String, Long> awaited) throws SQLException {
    byte[] sha256 = wish.body().sha256();
    return switch (changes.submissions().submit(wish, sha256, awaited)) {
      case Answer.Made _ -> {
        due.run();
        yield new Step.Known(new Submitted.Made(known(wish.org(), wish.id())));
      }
      case Answer.Replay replay ->
          new Step.Known(new Submitted.Replayed(known(wish.org(), replay.job())));
      case Answer.Conflict _ -> new Step.Known(new Submitted.Conflict());
      case Answer.TooLittle refused -> new Step.Known(new Submitted.TooLittle(refused.shortages()));
      case Answer.Awaits awaits -> new Step.Again(awaits.recalls());
    };
  }

  private Job known(OrgId org, JobId id) throws SQLException {
    return changes.views().remembered(org, id).orElseThrow(() -> new SQLException("a job is gone"));
  }

  private void next(Sent sent, Step step, Consumer<Submitted> whenKnown) {
    switch (step) {
      case Step.Known known -> whenKnown.accept(known.submitted());
      case Step.Again _ when sent.isLate() ->
          whenKnown.accept(
              new Submitted.Unavailable("other nodes did not say what they can spare"));
      case Step.Again again ->
          later(sent.loop(), BETWEEN_RECALLS, () -> submit(sent, again.awaited(), whenKnown));
    }
  }

  // Looks

  @Override
  public void find(OrgId org, JobId id, EventExecutor loop, Consumer<Found> whenKnown) {
    if (!turns.begin(org)) {
      whenKnown.accept(new Found.Crowded());
      return;
    }
    looks.run(
        loop,
        () -> looks.views().find(org, id),
        outcome -> {
          turns.end(org);
          whenKnown.accept(found(outcome));
        });
  }

  private static Found found(Outcome<Optional<Job>> outcome) {
    return switch (outcome) {
      case Outcome.Done<Optional<Job>> done ->
          done.value().<Found>map(Found.Here::new).orElseGet(Found.Nowhere::new);
      case Outcome.Refused<Optional<Job>> refused -> new Found.Unavailable(refused.reason());
      case Outcome.Failed<Optional<Job>> failed -> new Found.Unavailable(failed.cause().toString());
    };
  }

  // Ends

  @Override
  public void delete(
      OrgId org,
      @Nullable JobKind kind,
      JobId id,
      EventExecutor loop,
      Consumer<Deleted> whenKnown) {
    if (!turns.begin(org)) {
      whenKnown.accept(new Deleted.Crowded());
      return;
    }
    long giveUp = loop.ticker().nanoTime() + CANCEL_MAX.toNanos();
    var asked =
        new Asked(
            org,
            id,
            loop,
            giveUp,
            deleted -> {
              turns.end(org);
              whenKnown.accept(deleted);
            });
    told(changes, asked, () -> deleted(org, kind, id));
  }

  /** A job that is to be canceled, and who waits for that. */
  private record Asked(
      OrgId org, JobId id, EventExecutor loop, long giveUpNanos, Consumer<Deleted> whenKnown) {
    boolean isLate() {
      return loop.ticker().nanoTime() - giveUpNanos >= 0;
    }
  }

  /** Empty: it is asked for, and not known yet. */
  private Optional<Deleted> deleted(OrgId org, @Nullable JobKind kind, JobId id)
      throws SQLException {
    return switch (changes.submissions().cancel(org, kind, id)) {
      case CANCELED ->
          Optional.of(
              changes
                  .views()
                  .find(org, id)
                  .<Deleted>map(Deleted.Canceled::new)
                  .orElseGet(Deleted.Removed::new));
      case ASKED -> {
        due.run();
        yield Optional.empty();
      }
      case UNKNOWN -> Optional.of(new Deleted.Nowhere());
      case OVER, OPEN, REMOVED ->
          switch (changes.submissions().remove(org, kind, id)) {
            case REMOVED -> Optional.of(new Deleted.Removed());
            case UNKNOWN -> Optional.of(new Deleted.Nowhere());
            case CANCELED, ASKED, OVER, OPEN -> Optional.of(new Deleted.NotCancellable());
          };
    };
  }

  private void told(Rows rows, Asked asked, Callable<Optional<Deleted>> look) {
    rows.run(
        asked.loop(),
        look,
        outcome -> {
          switch (outcome) {
            case Outcome.Done<Optional<Deleted>> done ->
                done.value()
                    .ifPresentOrElse(
                        asked.whenKnown(),
                        () ->
                            later(
                                asked.loop(),
                                BETWEEN_LOOKS,
                                () -> told(looks, asked, () -> look(asked))));
            case Outcome.Refused<Optional<Deleted>> refused ->
                asked.whenKnown().accept(new Deleted.Unavailable(refused.reason()));
            case Outcome.Failed<Optional<Deleted>> failed ->
                asked.whenKnown().accept(new Deleted.Unavailable(failed.cause().toString()));
          }
        });
  }

  /** Whoever waited for too long takes the wish back, so that it is not granted behind its back. */
  private Optional<Deleted> look(Asked asked) throws SQLException {
    if (looks.submissions().isCancelAsked(asked.id())) {
      if (!asked.isLate()) {
        return Optional.empty();
      }
      if (looks.submissions().withdraw(asked.org(), asked.id())) {
        return Optional.of(new Deleted.NotCancellable());
      }
    }
    return Optional.of(ended(asked));
  }

  private Deleted ended(Asked asked) throws SQLException {
    Optional<Job> job = looks.views().find(asked.org(), asked.id());
    if (job.isEmpty()) {
      return new Deleted.Nowhere();
    }
    return job.get().status() == JobStatus.CANCELED
        ? new Deleted.Canceled(job.get())
        : new Deleted.NotCancellable();
  }

  private static void later(EventExecutor loop, Duration delay, Runnable work) {
    var _ = loop.schedule(work, delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
