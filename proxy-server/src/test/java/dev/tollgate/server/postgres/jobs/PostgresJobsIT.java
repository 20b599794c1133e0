package dev.tollgate.server.postgres.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.server.postgres.SynchronousOffload;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimRequest;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimedJobRow;
import dev.tollgate.server.postgres.jobs.JobRows.HeartbeatResult;
import dev.tollgate.server.postgres.ledger.LedgerAudit;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Job from its submission to its end as gateway and workers see it, in a real database. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresJobsIT {
  private static final JobArtifact VIDEO =
      new JobArtifact(
          UUID.randomUUID(),
          JobArtifact.Type.VIDEO,
          "video/mp4",
          new BlobName("20261129", "9f86d081884c7d65", "4".repeat(26), BlobType.MP4),
          12,
          Optional.of(new Frame(640, 480)),
          2.5);
  private static final JobArtifact AUDIO =
      new JobArtifact(
          UUID.randomUUID(),
          JobArtifact.Type.AUDIO,
          "audio/mpeg",
          new BlobName("20261129", "9f86d081884c7d65", "5".repeat(26), BlobType.MP3),
          7,
          Optional.empty(),
          2.5);
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LEASE = Duration.ofSeconds(30);
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final JobId id = JobId.fresh();
  private final AtomicInteger due = new AtomicInteger();
  private JobRepository jobs;
  private JobRows rows;
  private OrgId org;
  private KeyId key;

  @BeforeEach
  void begin() throws Exception {
    channel.freezeTime();
    var dedicated =
        new PostgresJobs.DedicatedPool(testStore.store().pool(), new SynchronousOffload());
    jobs = new PostgresJobs(dedicated, dedicated, DAY, DAY, due::incrementAndGet);
    rows = testStore.store().jobRows();
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, 1_000);
  }

  @AfterEach
  void end() throws Exception {
    testStore.execute(
        "SELECT job_cancel(NULL, NULL, id) FROM media_job WHERE completed_at IS NULL");
    assertThat(testStore.store().ledgerAudit().runFull()).isEmpty();
    channel.finishAndReleaseAll();
  }

  @Test
  void whatIsSubmittedIsFoundAsItWas() {
    Job made = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body")).job();
    assertThat(made)
        .returns(id, Job::id)
        .returns(JobStatus.QUEUED, Job::status)
        .returns(new MicroUsd(150), Job::estimated)
        .returns(new MicroUsd(200), Job::max)
        .returns("https://example.com/hook", Job::webhookUrl);
    assertThat(due).as("wake-ups of workers").hasValue(1);
    assertThat(made.params()).hasToString("{\"prompt\":\"a dog\"}");
    assertThat(found()).usingRecursiveComparison().isEqualTo(made);
    assertThat(find(new OrgId(UUID.randomUUID()), id))
        .isInstanceOf(JobRepository.FindResult.NotFound.class);
    assertThat(find(org, JobId.fresh())).isInstanceOf(JobRepository.FindResult.NotFound.class);
  }

  @Test
  void aReplayIsTheSameJobAndAnotherBodyAConflict() {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    JobSpec again = spec(JobId.fresh(), "k", "body");
    assertThat(submitted(JobRepository.SubmitResult.Replayed.class, again).job().id())
        .isEqualTo(id);
    assertThat(delete(null)).isInstanceOf(JobRepository.DeleteResult.Canceled.class);
    assertThat(delete(null)).isInstanceOf(JobRepository.DeleteResult.Removed.class);
    assertThat(find(org, id)).isInstanceOf(JobRepository.FindResult.NotFound.class);
    assertThat(submitted(JobRepository.SubmitResult.Replayed.class, again).job().id())
        .isEqualTo(id);
    var _ =
        submitted(JobRepository.SubmitResult.Conflict.class, spec(JobId.fresh(), "k", "another"));
  }

  @Test
  void whatWasSubmittedIsKnownUnderItsKeyBeforeAnythingIsDone() {
    JobSpec spec = spec(id, "k", "body");
    assertThat(recalled(spec)).isInstanceOf(JobRepository.LookupResult.NotSubmitted.class);
    Job made = submitted(JobRepository.SubmitResult.Created.class, spec).job();
    assertThat(recalled(spec(JobId.fresh(), "k", "body")))
        .isInstanceOfSatisfying(
            JobRepository.LookupResult.Replayed.class,
            again -> assertThat(again.job()).usingRecursiveComparison().isEqualTo(made));
    assertThat(recalled(spec(JobId.fresh(), "k", "another")))
        .isInstanceOf(JobRepository.LookupResult.Conflict.class);
    assertThat(recalled(spec(JobId.fresh(), "l", "body")))
        .isInstanceOf(JobRepository.LookupResult.NotSubmitted.class);
  }

  private JobRepository.LookupResult recalled(JobSpec spec) {
    List<JobRepository.LookupResult> answers = new ArrayList<>();
    jobs.lookUpSubmission(spec.submissionKey(), channel.eventLoop(), answers::add);
    return requireNonNull(answers.getFirst());
  }

  /** Offload whose threads are all busy. */
  private static final class Never implements Offload {
    @Override
    public <T> void run(
        EventExecutor caller, long deadlineNanos, Callable<T> work, Consumer<Outcome<T>> whenDone) {
      // The task waits for as long as the test runs.
    }
  }

  @Test
  void queriesDoNotWaitBehindSubmissions() {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    DataSource pool = testStore.store().pool();
    JobRepository busy =
        new PostgresJobs(
            new PostgresJobs.DedicatedPool(pool, new Never()),
            new PostgresJobs.DedicatedPool(pool, new SynchronousOffload()),
            DAY,
            DAY,
            due::incrementAndGet);
    List<Object> answers = new ArrayList<>();
    busy.submit(spec(JobId.fresh(), "l", "body"), channel.eventLoop(), answers::add);
    busy.find(org, id, channel.eventLoop(), answers::add);
    assertThat(answers).singleElement().isInstanceOf(JobRepository.FindResult.Present.class);
  }

  @Test
  void theAuditNamesEverySumOfWhichAJobDoesNotHoldItsPart() throws Exception {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    for (String scope : List.of("org:", "orgm:", "keyd:", "keym:")) {
      String its = " WHERE holder = 'job:" + id + "' AND scope_id LIKE '" + scope + "%'";
      String sum = " WHERE scope_id = (SELECT scope_id FROM lease" + its + ")";
      testStore.execute("UPDATE scope_account SET leased_micro = leased_micro - 150" + sum);
      testStore.execute("UPDATE lease SET state = 'closed'" + its);
      assertThat(testStore.store().ledgerAudit().run())
          .as(scope)
          .singleElement()
          .returns(8, LedgerAudit.Violation::invariant)
          .satisfies(it -> assertThat(it.scope()).startsWith(scope))
          .satisfies(it -> assertThat(it.what()).contains(id.toString(), "0 instead of 150"));
      testStore.execute("UPDATE lease SET state = 'open'" + its);
      testStore.execute("UPDATE scope_account SET leased_micro = leased_micro + 150" + sum);
    }
  }

  @Test
  void workersDoNotWaitForThoseWhoCharge() throws Exception {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    JobRows own = testStore.store().jobRows(1);
    HikariDataSource pool = (HikariDataSource) testStore.store().pool();
    List<Connection> taken = new ArrayList<>();
    try {
      for (int n = 0; n < pool.getMaximumPoolSize(); n++) {
        taken.add(pool.getConnection());
      }
      assertThat(own.claim("node", LEASE, next(10))).hasSize(1);
      assertThat(pool.getHikariPoolMXBean().getIdleConnections()).isZero();
      assertThat(testStore.store().pools()).containsKeys("store", "job_work");
    } finally {
      for (Connection each : taken) {
        each.close();
      }
    }
  }

  @Test
  void whatIsNotOverIsCounted() throws Exception {
    var counts = (PostgresJobs) jobs;
    long before = requireNonNull(counts.open(1_000).get(JobStatus.QUEUED));
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    assertThat(counts.open(1_000))
        .containsOnlyKeys(JobStatus.QUEUED, JobStatus.SUBMITTED, JobStatus.RUNNING)
        .containsEntry(JobStatus.QUEUED, before + 1);
    assertThat(counts.open(0)).containsEntry(JobStatus.QUEUED, 0L);
    assertThat(delete(null)).isInstanceOf(JobRepository.DeleteResult.Canceled.class);
    assertThat(counts.open(1_000)).containsEntry(JobStatus.QUEUED, before);
  }

  @Test
  void anInsufficientBudgetNamesItsScopes() {
    var refused =
        submitted(
            JobRepository.SubmitResult.InsufficientBudget.class, spec(id, "k", "body", 1_001));
    assertThat(refused.shortages())
        .singleElement()
        .returns(ScopeKind.ORG, shortage -> shortage.scope().kind())
        .returns(new MicroUsd(1_000), Shortage::limit);
  }

  @Test
  void moneyThatNodesHoldIsWaitedForAndThenGivenUp() throws Exception {
    var node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    Payer payer = new Payer(org, key, Window.at(System.currentTimeMillis()));
    var all = new GrantItem(ScopeKind.ORG, new MicroUsd(1_000), new MicroUsd(1_000));
    var _ = testStore.ledgerStore().grant(node, new GrantRequest(1, payer, List.of(all), true));
    List<JobRepository.SubmitResult> answers = new ArrayList<>();
    jobs.submit(spec(id, "k", "body"), channel.eventLoop(), answers::add);
    for (int i = 0; i < 30 && answers.isEmpty(); i++) {
      pass(Duration.ofMillis(100));
    }
    assertThat(answers).singleElement().isInstanceOf(JobRepository.SubmitResult.Unavailable.class);
    jobs.submit(spec(id, "k", "body"), channel.eventLoop(), answers::add);
    var gives = new LeaseStatement(payer, ScopeKind.ORG, new MicroUsd(500), 100, false);
    var _ = testStore.ledgerStore().tick(node, 2, List.of(gives));
    pass(Duration.ofMillis(100));
    assertThat(answers).last().isInstanceOf(JobRepository.SubmitResult.Created.class);
    testStore.ledgerStore().close(node);
  }

  private void logRequest() throws SQLException {
    testStore.execute(
        "INSERT INTO request_log (day, request_id, org_id, key_id, row)"
            + " SELECT day, request_id, org_id, key_id, '{}' FROM media_job WHERE id = ?",
        id.value());
  }

  private String logged(String column) throws SQLException {
    return testStore
        .execute(
            "SELECT %s FROM request_log JOIN media_job j USING (day, request_id) WHERE j.id = ?"
                .formatted(column),
            id.value())
        .getFirst();
  }

  @Test
  void aWorkerBringsItToItsEnd() throws Exception {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    ClaimedJobRow fresh = claimed();
    assertThat(fresh)
        .returns(id, ClaimedJobRow::id)
        .returns(Optional.empty(), ClaimedJobRow::intent)
        .returns(false, ClaimedJobRow::expired)
        .returns(Optional.empty(), ClaimedJobRow::providerJob);
    assertThat(rows.intend(fresh, 1)).isEqualTo("noted");
    assertThat(rows.submitted(fresh, "p7", Duration.ZERO)).isTrue();
    assertThat(rows.submitted(fresh, "p7", Duration.ZERO)).isFalse();
    ClaimedJobRow second = claimed();
    assertThat(second.providerJob()).contains("p7");
    assertThat(second.intent()).isPresent();
    assertThat(rows.running(second, 40, Duration.ZERO)).isTrue();
    assertThat(found().progress()).isEqualTo(40);
    ClaimedJobRow third = claimed();
    assertThat(rows.heartbeat(List.of(second, third), LEASE))
        .containsExactly(new HeartbeatResult(id, false, false));
    List<JobArtifact> artifacts = List.of(VIDEO, AUDIO);
    logRequest();
    assertThat(
            rows.succeed(
                third, new MicroUsd(90), new MicroUsd(70), "[{}]", Duration.ZERO, artifacts))
        .isTrue();
    assertThat(logged("priced")).isEqualTo("[{}]");
    assertThat(logged("operator_cost_micro")).isEqualTo("70");
    assertThat(found())
        .returns(JobStatus.SUCCEEDED, Job::status)
        .returns(100, Job::progress)
        .returns(new MicroUsd(90), Job::cost)
        .returns(artifacts, Job::artifacts);
    List<JobRows.DueArtifact> due = rows.takeArtifactsDue(10);
    assertThat(due)
        .extracting(JobRows.DueArtifact::blob)
        .contains(VIDEO.blob().toString(), AUDIO.blob().toString());
    assertThat(rows.takeArtifactsDue(10)).as("they belong to others").isEmpty();
    testStore.execute("UPDATE media_job SET files_again_at = now() WHERE files_tries = 1");
    assertThat(rows.takeArtifactsDue(10)).containsAll(due);
    assertThat(testStore.execute("SELECT max(files_tries) FROM media_job")).containsExactly("2");
    rows.forget(due);
    assertThat(found().artifacts()).isEmpty();
    assertThat(rows.tidy(Duration.ZERO, 10)).isZero();
  }

  @Test
  void aFailureIsReported() throws Exception {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    ClaimedJobRow held = claimed();
    assertThat(rows.inconclusive(held, "absent", Duration.ZERO)).isTrue();
    ClaimedJobRow again = claimed();
    assertThat(again.attempts()).isOne();
    assertThat(again).returns("absent", ClaimedJobRow::doubt).returns(1, ClaimedJobRow::doubts);
    assertThat(rows.expire(again)).isFalse();
    assertThat(rows.fail(again, JobFailure.of(ErrorCode.PROVIDER_FAILURE, "no\0"))).isTrue();
    assertThat(found().failure()).isEqualTo(new JobFailure("provider_error", "no\uFFFD"));
  }

  @Test
  void aJobAtAProviderIsCanceledWhenAWorkerReportsIt() throws Exception {
    for (boolean isGivenUp : List.of(false, true)) {
      JobId job = JobId.fresh();
      var _ =
          submitted(JobRepository.SubmitResult.Created.class, spec(job, "k" + isGivenUp, "body"));
      ClaimedJobRow held = claimed();
      assertThat(rows.intend(held, 1)).isEqualTo("noted");
      List<JobRepository.DeleteResult> answers = new ArrayList<>();
      jobs.delete(org, JobKind.VIDEO, job, channel.eventLoop(), answers::add);
      pass(Duration.ofSeconds(1));
      assertThat(answers).isEmpty();
      assertThat(rows.heartbeat(List.of(held), LEASE))
          .containsExactly(new HeartbeatResult(job, true, false));
      assertThat(isGivenUp ? rows.canceled(held) : rows.cancelRefused(held, DAY)).isTrue();
      pass(Duration.ofSeconds(1));
      assertThat(answers)
          .singleElement()
          .isInstanceOf(
              isGivenUp
                  ? JobRepository.DeleteResult.Canceled.class
                  : JobRepository.DeleteResult.NotCancellable.class);
      testStore.execute("UPDATE media_job SET next_look_at = now()");
      for (ClaimedJobRow rest : rows.claim("n", LEASE, next(9))) {
        assertThat(rows.canceled(rest)).isTrue();
      }
    }
  }

  @Test
  void whatEndsWhileItIsToBeCanceledIsNotCanceled() throws Exception {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    ClaimedJobRow held = claimed();
    assertThat(rows.intend(held, 1)).isEqualTo("noted");
    assertThat(rows.submitted(held, "p", Duration.ZERO)).isTrue();
    held = claimed();
    List<JobRepository.DeleteResult> answers = new ArrayList<>();
    jobs.delete(org, null, id, channel.eventLoop(), answers::add);
    assertThat(due).as("wake-ups of workers").hasValue(2);
    assertThat(rows.succeed(held, new MicroUsd(90), new MicroUsd(90), "[]", DAY, List.of()))
        .isTrue();
    assertThat(rows.canceled(held)).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(answers)
        .singleElement()
        .isInstanceOf(JobRepository.DeleteResult.NotCancellable.class);
    assertThat(found()).returns(JobStatus.SUCCEEDED, Job::status);
    assertThat(delete(null)).isInstanceOf(JobRepository.DeleteResult.Removed.class);
  }

  @Test
  void anUnansweredCancellationIsWithdrawn() throws Exception {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    ClaimedJobRow held = claimed();
    assertThat(rows.intend(held, 1)).isEqualTo("noted");
    List<JobRepository.DeleteResult> answers = new ArrayList<>();
    jobs.delete(org, null, id, channel.eventLoop(), answers::add);
    for (int i = 0; i < 100 && answers.isEmpty(); i++) {
      pass(Duration.ofMillis(150));
    }
    assertThat(answers)
        .singleElement()
        .isInstanceOf(JobRepository.DeleteResult.NotCancellable.class);
    assertThat(rows.heartbeat(List.of(held), LEASE))
        .containsExactly(new HeartbeatResult(id, false, false));
    assertThat(rows.canceled(held)).isTrue();
  }

  @Test
  void noOtherOrganizationCancelsOrRemovesIt() {
    var _ = submitted(JobRepository.SubmitResult.Created.class, spec(id, "k", "body"));
    assertThat(delete(JobKind.MUSIC)).isInstanceOf(JobRepository.DeleteResult.NotFound.class);
    OrgId its = org;
    org = new OrgId(UUID.randomUUID());
    assertThat(delete(null)).isInstanceOf(JobRepository.DeleteResult.NotFound.class);
    org = its;
    assertThat(found().status()).isEqualTo(JobStatus.QUEUED);
    assertThat(delete(JobKind.VIDEO)).isInstanceOf(JobRepository.DeleteResult.Canceled.class);
  }

  // Steps

  private JobSpec spec(JobId job, String idempotencyKey, String body) {
    return spec(job, idempotencyKey, body, 150);
  }

  private JobSpec spec(JobId job, String idempotencyKey, String body, long reserved) {
    byte[] bytes = body.getBytes(UTF_8);
    return new JobSpec(
        job,
        org,
        key,
        RequestId.at(System.currentTimeMillis()),
        "/v1/video/generations",
        new IdempotencyKey(idempotencyKey),
        new BodyFingerprint(bytes, bytes.length, "application/json"),
        JobKind.VIDEO,
        "acme/film",
        "mock",
        new MicroUsd(reserved),
        new MicroUsd(reserved + 50),
        JsonBytes.raw("{\"prompt\":\"a dog\"}"),
        List.of(),
        "https://example.com/hook",
        JsonBytes.raw("{}"));
  }

  private <T extends JobRepository.SubmitResult> T submitted(Class<T> expected, JobSpec spec) {
    List<JobRepository.SubmitResult> answers = new ArrayList<>();
    jobs.submit(spec, channel.eventLoop(), answers::add);
    assertThat(answers).singleElement().isInstanceOf(expected);
    return expected.cast(answers.getFirst());
  }

  private JobRepository.FindResult find(OrgId its, JobId job) {
    List<JobRepository.FindResult> answers = new ArrayList<>();
    jobs.find(its, job, channel.eventLoop(), answers::add);
    return requireNonNull(answers.getFirst());
  }

  private Job found() {
    return ((JobRepository.FindResult.Present) find(org, id)).job();
  }

  private JobRepository.DeleteResult delete(@Nullable JobKind kind) {
    List<JobRepository.DeleteResult> answers = new ArrayList<>();
    jobs.delete(org, kind, id, channel.eventLoop(), answers::add);
    return requireNonNull(answers.getFirst());
  }

  private static ClaimRequest next(int most) {
    return new ClaimRequest(most, new OrgId(new UUID(0, 0)), "", Map.of(), most, Set.of());
  }

  private ClaimedJobRow claimed() throws Exception {
    List<ClaimedJobRow> claimed = rows.claim("node", LEASE, next(10));
    assertThat(claimed).hasSize(1);
    return claimed.getFirst();
  }

  private void pass(Duration time) {
    channel.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }
}
