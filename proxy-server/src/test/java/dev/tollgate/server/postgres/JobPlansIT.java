package dev.tollgate.server.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.jobs.PostgresJobs;
import io.netty.channel.embedded.EmbeddedChannel;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Cost of jobs in a database that last counted its rows while no job was open: a scan of everything
 * open seems cheap then, and each step of a job would read the whole queue.
 */
@Execution(ExecutionMode.CONCURRENT)
class JobPlansIT {
  private static final int OPEN = 400;
  private static final Duration DAY = Duration.ofDays(1);

  /** Each of the four leases is read a few times, and a changed row is read again. */
  private static final int ROWS_OF_A_JOB = 60;

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private JobRepository jobs;
  private OrgId org;
  private KeyId key;

  @BeforeEach
  void begin() throws Exception {
    var dedicated =
        new PostgresJobs.DedicatedPool(testStore.store().pool(), new SynchronousOffload());
    jobs = new PostgresJobs(dedicated, dedicated, DAY, DAY, () -> {});
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, 1_000_000);
    submit(OPEN);
    testStore.execute(
        "SELECT job_cancel(NULL, NULL, id) FROM media_job WHERE completed_at IS NULL");
    for (int part = 0; part < 5; part++) {
      pastJobs(20_000); // each within the pool's statement timeout on a busy machine
    }
    testStore.execute("VACUUM ANALYZE media_job, lease, scope_account");
  }

  @AfterEach
  void end() {
    channel.finishAndReleaseAll();
  }

  @Test
  void aJobOfALongQueueReadsAFewRows() throws Exception {
    submit(OPEN);
    try (Connection connection = testStore.store().pool().getConnection()) {
      connection.setAutoCommit(false);
      assertTwentyJobsReadAFewRows(connection);
    }
  }

  @Test
  void soItDoesByPlansKeptFromWhenThereWereHardlyAny() throws Exception {
    testStore.execute("TRUNCATE media_job CASCADE");
    submit(4);
    testStore.execute("VACUUM ANALYZE media_job");
    try (Connection connection = testStore.store().pool().getConnection()) {
      connection.setAutoCommit(false);
      keepPlans(connection);
      assertThat(twoJobsFromTheQueueToTheirEnds(connection)).isEqualTo(2);
      connection.rollback();
      submit(OPEN);
      assertTwentyJobsReadAFewRows(connection);
    }
  }

  private static void assertTwentyJobsReadAFewRows(Connection connection) throws SQLException {
    keepPlans(connection);
    long before = rowsRead(connection);
    for (int turn = 0; turn < 10; turn++) {
      assertThat(twoJobsFromTheQueueToTheirEnds(connection)).isEqualTo(2);
    }
    assertThat(rowsRead(connection) - before)
        .as("rows of twenty jobs")
        .isLessThan(20 * ROWS_OF_A_JOB);
    connection.rollback();
  }

  /** Makes the session keep its plans, as it does by itself after a few executions. */
  private static void keepPlans(Connection connection) throws SQLException {
    var _ = first(connection, "SELECT set_config('plan_cache_mode', 'force_generic_plan', true)");
  }

  private static int twoJobsFromTheQueueToTheirEnds(Connection connection) throws SQLException {
    String id = claimed(connection);
    assertThat(first(connection, "SELECT job_intend(?::uuid, 'w', 2000)", id)).isEqualTo("noted");
    assertThat(first(connection, "SELECT job_submitted(?::uuid, 'w', 'p1', '-1 s')", id))
        .isEqualTo("t");
    assertThat(claimed(connection)).as("what a provider has comes first").isEqualTo(id);
    assertThat(first(connection, "SELECT job_running(?::uuid, 'w', 50, '-1 s')", id))
        .isEqualTo("t");
    assertThat(claimed(connection)).isEqualTo(id);
    assertThat(
            first(
                connection,
                "SELECT job_id FROM job_heartbeat('{w}', ARRAY[?::uuid], interval '30 s')",
                id))
        .isEqualTo(id);
    assertThat(
            first(
                connection,
                "SELECT job_succeed_priced(?::uuid, 'w', 10, '[]', '7 days', '{}', '{}', '{}', '{}',"
                    + " '{}', '{}', '{}', '{}')",
                id))
        .isEqualTo("t");
    String another = claimed(connection);
    assertThat(first(connection, "SELECT job_fail(?::uuid, 'w', 'provider_error', 'm')", another))
        .isEqualTo("t");
    return 2;
  }

  private static String claimed(Connection connection) throws SQLException {
    return first(
        connection,
        "SELECT id FROM job_claim('w', '30 s', 1, gen_random_uuid(), '', '{}', '{}', 4, '{}')");
  }

  /** Returns the rows of jobs and leases read in this transaction. */
  private static long rowsRead(Connection connection) throws SQLException {
    return Long.parseLong(
        first(
            connection,
            "SELECT sum(idx_tup_fetch + seq_tup_read)::bigint FROM pg_stat_xact_user_tables"
                + " WHERE relid IN ('media_job'::regclass, 'lease'::regclass)"));
  }

  private static String first(Connection connection, String sql, String... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setString(i + 1, values[i]);
      }
      try (ResultSet row = statement.executeQuery()) {
        assertThat(row.next()).as(sql).isTrue();
        return row.getString(1);
      }
    }
  }

  private void submit(int count) {
    for (int n = 0; n < count; n++) {
      byte[] body = "body".getBytes(UTF_8);
      List<JobRepository.SubmitResult> answers = new ArrayList<>();
      jobs.submit(
          new JobSpec(
              JobId.fresh(),
              org,
              key,
              RequestId.at(System.currentTimeMillis()),
              "/v1/video/generations",
              new IdempotencyKey(UUID.randomUUID().toString()),
              new BodyFingerprint(body, body.length, "application/json"),
              JobKind.VIDEO,
              "acme/film",
              "mock",
              new MicroUsd(100),
              new MicroUsd(150),
              JsonBytes.raw("{}"),
              List.of(),
              "https://example.com/hook",
              JsonBytes.raw("{}")),
          channel.eventLoop(),
          answers::add);
      assertThat(answers).singleElement().isInstanceOf(JobRepository.SubmitResult.Created.class);
    }
  }

  /** Adds jobs that ended long ago, so that the table's own indexes have a realistic height. */
  private void pastJobs(int count) throws SQLException {
    testStore.execute(
        """
        INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,
                               estimated_cost_micro, max_cost_micro, params, metadata, created_at,
                               expires_at, next_look_at, completed_at)
        SELECT gen_random_uuid(), ?, 'key', left(replace(gen_random_uuid()::text, '-', ''), 30),
               '2026-11-22', 'video', 'm', 'mock', 'expired', 0, 0, '{}', '{}', at, at, at, at
          FROM generate_series(1, ?) n, LATERAL (SELECT ledger_now() - n * interval '1 s') a (at)""",
        org.value(),
        count);
  }
}
