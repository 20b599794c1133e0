package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.server.jobs.ClaimedJob.Demand;
import dev.tollgate.server.jobs.ClaimedJob.Doubt;
import dev.tollgate.server.postgres.jobs.JobRows;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimRequest;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimedJobRow;
import dev.tollgate.server.postgres.jobs.JobRows.DueArtifact;
import dev.tollgate.server.postgres.jobs.JobRows.HeartbeatResult;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Implementation of the workers' port {@link JobStore} on the PostgreSQL DAO {@link JobRows}. */
public final class JobStoreAdapter implements JobStore {
  private final JobRows rows;
  private final String node;
  private final InstantSource clock;
  private final Runnable announce;
  private final int openMax;

  /**
   * Creates the adapter.
   *
   * @param node the prefix of workers' names
   * @param clock for ages of jobs, which only affect delays and metrics
   * @param announce called when a job with a webhook ends; must not block
   * @param openMax jobs that a provider has at most
   */
  public JobStoreAdapter(
      JobRows rows, String node, InstantSource clock, Runnable announce, int openMax) {
    this.rows = rows;
    this.node = node;
    this.clock = clock;
    this.announce = announce;
    this.openMax = openMax;
  }

  @Override
  public List<ClaimedJob> claim(Duration lease, JobClaimOptions turn) throws SQLException {
    var request =
        new ClaimRequest(
            turn.limit(),
            turn.lastOrg(),
            turn.lastProvider(),
            turn.inWork(),
            turn.share(),
            turn.closedProviders());
    return rows.claim(node, lease, request).stream().map(this::claimed).toList();
  }

  private ClaimedJob claimed(ClaimedJobRow row) {
    Duration age = Duration.between(row.job().createdAt(), clock.instant());
    Demand request = row.cancelAsked() ? Demand.CANCEL : Demand.NONE;
    return new ClaimedJob(
        row.job(),
        row.worker(),
        row.providerJob(),
        row.intent(),
        row.attempts(),
        row.doubt() == null ? Doubt.NONE : Doubt.valueOf(row.doubt().toUpperCase(Locale.ROOT)),
        row.doubts(),
        age.isNegative() ? Duration.ZERO : age,
        row.images().stream().map(name -> BlobName.parse(name).orElseThrow()).toList(),
        row.expired() ? Demand.EXPIRE : request);
  }

  private static ClaimedJobRow row(ClaimedJob job) {
    return new ClaimedJobRow(
        job.job(),
        job.worker(),
        job.providerJob(),
        job.intent(),
        job.demand() == Demand.CANCEL,
        job.demand() == Demand.EXPIRE,
        job.inconclusiveAttempts(),
        wire(job.doubt()),
        job.doubts(),
        job.images().stream().map(BlobName::toString).toList());
  }

  private static @Nullable String wire(Doubt doubt) {
    return doubt == Doubt.NONE ? null : doubt.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public Set<JobId> renew(List<ClaimedJob> jobs, Duration lease) throws SQLException {
    return rows.heartbeat(jobs.stream().map(JobStoreAdapter::row).toList(), lease).stream()
        .map(HeartbeatResult::job)
        .collect(Collectors.toSet());
  }

  @Override
  public Intent intend(ClaimedJob job) throws SQLException {
    return Intent.valueOf(rows.intend(row(job), openMax).toUpperCase(Locale.ROOT));
  }

  @Override
  public boolean submitted(ClaimedJob job, String providerJob, Duration nextPoll)
      throws SQLException {
    return rows.submitted(row(job), providerJob, nextPoll);
  }

  @Override
  public boolean running(ClaimedJob job, Progress progress, Duration nextPoll) throws SQLException {
    return rows.running(row(job), percent(progress), nextPoll);
  }

  private static @Nullable Integer percent(Progress progress) {
    return switch (progress) {
      case Progress.Unknown _ -> null;
      case Progress.Percent known -> known.percent();
    };
  }

  @Override
  public boolean waiting(ClaimedJob job, Duration nextPoll) throws SQLException {
    return rows.waiting(row(job), nextPoll);
  }

  @Override
  public boolean release(ClaimedJob job) throws SQLException {
    return rows.release(row(job));
  }

  @Override
  public boolean inconclusive(ClaimedJob job, Doubt doubt, Duration nextPoll) throws SQLException {
    return rows.inconclusive(row(job), wire(doubt), nextPoll);
  }

  @Override
  public boolean succeed(ClaimedJob job, JobCharge charge, Duration kept, List<JobArtifact> files)
      throws SQLException {
    return announced(
        rows.succeed(row(job), charge.cost(), charge.operatorCost(), charge.priced(), kept, files));
  }

  @Override
  public boolean fail(ClaimedJob job, JobFailure failure) throws SQLException {
    return announced(rows.fail(row(job), failure));
  }

  private boolean announced(boolean ended) {
    if (ended) {
      announce.run();
    }
    return ended;
  }

  @Override
  public boolean expire(ClaimedJob job) throws SQLException {
    return rows.expire(row(job));
  }

  @Override
  public boolean canceled(ClaimedJob job) throws SQLException {
    return rows.canceled(row(job));
  }

  @Override
  public boolean cancelRefused(ClaimedJob job, Duration nextPoll) throws SQLException {
    return rows.cancelRefused(row(job), nextPoll);
  }

  @Override
  public List<DueFile> takeDue(int jobsMax) throws SQLException {
    return rows.takeArtifactsDue(jobsMax).stream()
        .map(due -> new DueFile(due.artifact(), due.blob()))
        .toList();
  }

  @Override
  public void forget(List<DueFile> files) throws SQLException {
    rows.forget(files.stream().map(file -> new DueArtifact(file.id(), file.name())).toList());
  }
}
