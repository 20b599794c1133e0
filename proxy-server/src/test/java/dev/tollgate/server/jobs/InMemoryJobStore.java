package dev.tollgate.server.jobs;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.jobs.ClaimedJob.Demand;
import dev.tollgate.server.jobs.ClaimedJob.Doubt;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Rows of jobs in memory, under a clock that a test moves: a short model of the database. */
final class InMemoryJobStore implements JobStore {
  static final Duration TTL = Duration.ofHours(1);

  final Map<UUID, Row> rows = new LinkedHashMap<>();
  final List<DueFile> due = new ArrayList<>();
  private final Set<DueFile> out = new HashSet<>();
  Duration now = Duration.ofDays(1);
  int failures;
  int openMax = Integer.MAX_VALUE;
  final CountDownLatch asked = new CountDownLatch(1);
  private int turns;
  private final long startNanos;
  private final boolean isLive;

  /** Creates a store whose time a test moves. */
  InMemoryJobStore() {
    this(false);
  }

  private InMemoryJobStore(boolean isLive) {
    this.isLive = isLive;
    this.startNanos = System.nanoTime();
  }

  /** Creates a store whose time passes. */
  static InMemoryJobStore live() {
    return new InMemoryJobStore(true);
  }

  synchronized Duration now() {
    return isLive ? now.plusNanos(System.nanoTime() - startNanos) : now;
  }

  /** Row of a job. */
  static final class Row {
    final UUID id = UUID.randomUUID();
    final JobKind kind;
    final String params;
    final Duration made;
    Duration expires;
    String status = "queued";
    String worker = "";
    Duration nextDue;
    String provider = "mock";
    @Nullable Duration intended;
    @Nullable String providerJob;
    boolean cancelAsked;
    int attempts;
    Doubt doubt = Doubt.NONE;
    int doubts;
    int percent = -1;
    int ends;
    MicroUsd cost = MicroUsd.ZERO;
    String priced = "";
    String error = "";
    List<JobArtifact> files = List.of();

    Row(JobKind kind, String params, Duration now) {
      this.kind = kind;
      this.params = params;
      this.made = now;
      this.expires = now.plus(TTL);
      this.nextDue = now;
    }

    boolean isOpen() {
      return Set.of("queued", "submitted", "running").contains(status);
    }
  }

  synchronized Row add(JobKind kind, String params) {
    Row row = new Row(kind, params, now());
    rows.put(row.id, row);
    return row;
  }

  synchronized void cancel(Row row) {
    row.cancelAsked = true;
    row.nextDue = row.worker.isEmpty() ? now() : row.nextDue;
  }

  /** Returns the time until a job is due; empty: all have ended. */
  synchronized Optional<Duration> nextDue() {
    return rows.values().stream()
        .filter(Row::isOpen)
        .map(row -> row.nextDue)
        .min(Duration::compareTo);
  }

  /** Gives the job to another worker. */
  synchronized void take(Row row, String worker) {
    row.worker = worker;
    row.nextDue = now().plusDays(1);
  }

  @Override
  public List<ClaimedJob> claim(Duration lease, JobClaimOptions turn) throws SQLException {
    return claim(lease, turn.limit(), turn.closedProviders());
  }

  /** Claims due jobs in the order of their rows; fairness is the database's part. */
  List<ClaimedJob> claim(Duration lease, int most) throws SQLException {
    return claim(lease, most, Set.of());
  }

  private synchronized List<ClaimedJob> claim(Duration lease, int most, Set<String> closed)
      throws SQLException {
    asked.countDown();
    if (failures-- > 0) {
      throw new SQLException("on request");
    }
    List<ClaimedJob> claimed = new ArrayList<>();
    for (Row row : rows.values()) {
      boolean isDue = row.isOpen() && row.nextDue.compareTo(now()) <= 0;
      boolean isHeldBack = row.intended == null && closed.contains(row.provider);
      if (isDue && !isHeldBack && claimed.size() < most) {
        row.worker = "worker " + ++turns;
        row.nextDue = now().plus(lease);
        claimed.add(claimed(row));
      }
    }
    return claimed;
  }

  private ClaimedJob claimed(Row row) {
    boolean isOver = row.expires.compareTo(now()) <= 0;
    Job job =
        new Job(
            new JobId(row.id),
            RequestId.at(0),
            new OrgId(new UUID(0, 1)),
            new KeyId("12345678"),
            row.kind,
            "test/" + row.kind.wire(),
            row.provider,
            JobStatus.parse(row.status).orElseThrow(),
            null,
            new MicroUsd(1_000),
            new MicroUsd(1_000),
            MicroUsd.ZERO,
            null,
            JsonBytes.raw(row.params),
            null,
            JsonBytes.raw("{}"),
            Instant.EPOCH,
            null,
            null,
            Instant.EPOCH,
            List.of());
    return new ClaimedJob(
        job,
        row.worker,
        Optional.ofNullable(row.providerJob),
        Optional.ofNullable(row.intended).map(at -> now().minus(at)),
        row.attempts,
        row.doubt,
        row.doubts,
        now().minus(row.made),
        List.of(),
        isOver ? Demand.EXPIRE : row.cancelAsked ? Demand.CANCEL : Demand.NONE);
  }

  @Override
  public synchronized Set<JobId> renew(List<ClaimedJob> jobs, Duration lease) {
    Set<JobId> ours = new HashSet<>();
    for (ClaimedJob job : jobs) {
      if (held(job) != null) {
        Objects.requireNonNull(held(job)).nextDue = now().plus(lease);
        ours.add(job.id());
      }
    }
    return ours;
  }

  private @Nullable Row held(ClaimedJob job, String... statuses) {
    Row row = Objects.requireNonNull(rows.get(job.id().value()));
    boolean isSo = statuses.length == 0 || Set.of(statuses).contains(row.status);
    return row.worker.equals(job.worker()) && row.isOpen() && isSo ? row : null;
  }

  private boolean back(@Nullable Row row, Duration nextDue) {
    if (row == null) {
      return false;
    }
    row.worker = "";
    Duration next = now().plus(nextDue);
    Duration end = row.expires.compareTo(now()) > 0 ? row.expires : next;
    row.nextDue = row.cancelAsked ? now() : next.compareTo(end) < 0 ? next : end;
    return true;
  }

  private boolean end(@Nullable Row row, String status) {
    if (row == null) {
      return false;
    }
    row.status = status;
    row.worker = "";
    row.ends++;
    return true;
  }

  @Override
  public synchronized Intent intend(ClaimedJob job) {
    Row row = held(job, "queued");
    if (row == null) {
      return Intent.LOST;
    }
    long open = rows.values().stream().filter(it -> it.isOpen() && it.intended != null).count();
    if (row.intended == null && open >= openMax) {
      return Intent.FULL;
    }
    row.intended = now();
    row.doubt = Doubt.NONE;
    return Intent.NOTED;
  }

  @Override
  public synchronized boolean submitted(ClaimedJob job, String providerJob, Duration nextDue) {
    Row row = held(job, "queued");
    if (row != null) {
      row.status = "submitted";
      row.providerJob = providerJob;
      learned(row);
    }
    return back(row, nextDue);
  }

  @Override
  public synchronized boolean running(ClaimedJob job, Progress progress, Duration nextDue) {
    Row row = held(job, "submitted", "running");
    if (row != null) {
      row.status = "running";
      row.percent = progress instanceof Progress.Percent calls ? calls.percent() : -1;
      learned(row);
    }
    return back(row, nextDue);
  }

  private static void learned(Row row) {
    row.attempts = 0;
    row.doubt = Doubt.NONE;
    row.doubts = 0;
  }

  @Override
  public synchronized boolean waiting(ClaimedJob job, Duration nextDue) {
    Row row = held(job, "submitted", "running");
    if (row != null) {
      learned(row);
    }
    return back(row, nextDue);
  }

  @Override
  public synchronized boolean release(ClaimedJob job) {
    return back(held(job), Duration.ZERO);
  }

  @Override
  public synchronized boolean inconclusive(ClaimedJob job, Doubt doubt, Duration nextDue) {
    Row row = held(job);
    if (row != null) {
      row.attempts++;
      if (doubt != Doubt.NONE) {
        row.doubts = doubt == row.doubt ? row.doubts + 1 : 1;
        row.doubt = doubt;
      }
    }
    boolean isBack = back(row, nextDue);
    if (row != null && job.demand() == Demand.CANCEL) {
      row.nextDue = now().plus(nextDue);
    }
    return isBack;
  }

  @Override
  public synchronized boolean succeed(
      ClaimedJob job, JobCharge charge, Duration kept, List<JobArtifact> files) {
    Row row = held(job, "submitted", "running");
    if (row != null) {
      row.cost = charge.cost();
      row.priced = charge.priced();
      row.files = files;
    }
    return end(row, "succeeded");
  }

  @Override
  public synchronized boolean fail(ClaimedJob job, JobFailure failure) {
    Row row = held(job);
    if (row != null) {
      row.error = failure.code() + ": " + failure.message();
    }
    return end(row, "failed");
  }

  @Override
  public synchronized boolean expire(ClaimedJob job) {
    Row row = held(job);
    return row != null && row.expires.compareTo(now()) <= 0 && end(row, "expired");
  }

  @Override
  public synchronized boolean canceled(ClaimedJob job) {
    return end(held(job), "canceled");
  }

  @Override
  public synchronized boolean cancelRefused(ClaimedJob job, Duration nextDue) {
    Row row = held(job);
    if (row != null) {
      row.cancelAsked = false;
    }
    return back(row, nextDue);
  }

  @Override
  public synchronized List<DueFile> takeDue(int mostJobs) {
    List<DueFile> taken = due.stream().filter(each -> !out.contains(each)).limit(mostJobs).toList();
    out.addAll(taken);
    return taken;
  }

  /** Makes taken files that were not forgotten due again. */
  synchronized void passFilesPause() {
    out.clear();
  }

  @Override
  public synchronized void forget(List<DueFile> files) {
    due.removeAll(files);
  }
}
