package dev.tollgate.core.testkit;

import dev.tollgate.core.exchange.JobDesk;
import dev.tollgate.core.fetch.UrlGuard;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.job.JobTicket;
import dev.tollgate.core.job.JobWish;
import dev.tollgate.core.job.Jobs;
import dev.tollgate.core.money.MicroUsd;
import io.netty.util.concurrent.EventExecutor;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Jobs as a test has them; it may have the next step answered otherwise, or not at all. */
public final class InMemoryJobs implements Jobs {
  private final Map<JobId, Job> jobs = new LinkedHashMap<>();
  private final Map<String, JobId> submitted = new LinkedHashMap<>();
  private final List<JobWish> wishes = new ArrayList<>();
  private @Nullable Submitted nextSubmitted;
  private @Nullable Deleted nextDeleted;
  private final List<Runnable> unsaid = new ArrayList<>();
  private int answersLeft = Integer.MAX_VALUE;

  /** The next submission is answered so, and nothing is made. */
  public void next(Submitted answer) {
    nextSubmitted = answer;
  }

  /** The next wish to delete is answered so, and nothing is done. */
  public void next(Deleted answer) {
    nextDeleted = answer;
  }

  /** From now on nothing is answered, until {@link #speak}. */
  public void fallSilent() {
    fallSilentAfter(0);
  }

  /** The same after so many answers. */
  public void fallSilentAfter(int answers) {
    answersLeft = answers;
  }

  /** What was not answered meanwhile is answered now, late as it is. */
  public void speak() {
    answersLeft = Integer.MAX_VALUE;
    List<Runnable> all = List.copyOf(unsaid);
    unsaid.clear();
    all.forEach(Runnable::run);
  }

  private void answered(Runnable answer) {
    if (answersLeft == 0) {
      unsaid.add(answer);
    } else {
      answersLeft--;
      answer.run();
    }
  }

  /** Where they are submitted. */
  JobDesk desk(UrlGuard urls) {
    var factor = new BigDecimal("1.5");
    return new JobDesk(this, urls, factor, Duration.ofDays(1), JobDesk.Submissions.TAKEN);
  }

  /** What was submitted, in order. */
  public List<JobWish> wishes() {
    return List.copyOf(wishes);
  }

  /** Puts a job as it is. */
  public void put(Job job) {
    jobs.put(job.id(), job);
  }

  /** The last job that was made. */
  public Job last() {
    return jobs.values().stream().reduce((a, b) -> b).orElseThrow();
  }

  @Override
  public void submit(JobWish wish, EventExecutor loop, Consumer<Submitted> whenKnown) {
    wishes.add(wish);
    Submitted answer = nextSubmitted;
    nextSubmitted = null;
    answered(() -> whenKnown.accept(answer == null ? made(wish) : answer));
  }

  private Submitted made(JobWish wish) {
    return switch (known(wish.ticket())) {
      case Recalled.Replayed again -> new Submitted.Replayed(again.job());
      case Recalled.Conflict _ -> new Submitted.Conflict();
      case Recalled.Crowded _ -> new Submitted.Crowded();
      case Recalled.Unavailable gone -> new Submitted.Unavailable(gone.reason());
      case Recalled.Fresh _ -> {
        submitted.put(named(wish.ticket()), wish.id());
        put(of(wish));
        yield new Submitted.Made(last());
      }
    };
  }

  @Override
  public void recall(JobTicket ticket, EventExecutor loop, Consumer<Recalled> whenKnown) {
    answered(() -> whenKnown.accept(known(ticket)));
  }

  private Recalled known(JobTicket ticket) {
    JobId earlier = submitted.get(named(ticket));
    if (earlier != null) {
      return new Recalled.Replayed(Objects.requireNonNull(jobs.get(earlier)));
    }
    return submitted.keySet().stream().anyMatch(one -> one.startsWith(key(ticket)))
        ? new Recalled.Conflict()
        : new Recalled.Fresh();
  }

  private static String key(JobTicket ticket) {
    return ticket.org() + " " + ticket.endpoint() + " " + ticket.idempotencyKey() + " ";
  }

  private static String named(JobTicket ticket) {
    return key(ticket) + HexFormat.of().formatHex(ticket.body().sha256());
  }

  private static Job of(JobWish wish) {
    return new Job(
        wish.id(),
        wish.request(),
        wish.org(),
        wish.key(),
        wish.kind(),
        wish.model(),
        wish.provider(),
        JobStatus.QUEUED,
        null,
        wish.reserved(),
        wish.max(),
        MicroUsd.ZERO,
        null,
        wish.params(),
        wish.webhookUrl(),
        wish.metadata(),
        Scenario.NOW,
        null,
        null,
        Scenario.NOW.plus(Duration.ofHours(24)),
        List.of());
  }

  @Override
  public void find(OrgId org, JobId id, EventExecutor loop, Consumer<Found> whenKnown) {
    answered(
        () -> {
          Job job = jobs.get(id);
          whenKnown.accept(
              job != null && job.org().equals(org) ? new Found.Here(job) : new Found.Nowhere());
        });
  }

  @Override
  public void delete(
      OrgId org,
      @Nullable JobKind kind,
      JobId id,
      EventExecutor loop,
      Consumer<Deleted> whenKnown) {
    Deleted answer = nextDeleted;
    nextDeleted = null;
    answered(() -> whenKnown.accept(answer == null ? new Deleted.Nowhere() : answer));
  }
}
