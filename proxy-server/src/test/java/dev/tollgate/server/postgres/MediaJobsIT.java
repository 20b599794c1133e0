package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LeaseStatement;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs in a real database: their money is reserved and settled or released once, under any race.
 */
@Execution(ExecutionMode.CONCURRENT)
class MediaJobsIT {
  private static final long NOON = Instant.parse("2026-11-22T12:00:00Z").toEpochMilli();
  private static final long BALANCE = 1_000;
  private static final long RESERVED = 150;

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private OrgId org;
  private KeyId key;

  @BeforeEach
  void begin() throws Exception {
    testStore.setClock(NOON);
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, BALANCE);
  }

  @AfterEach
  void sumsAgree() throws Exception {
    try {
      assertThat(testStore.store().ledgerAudit().runFull()).isEmpty();
    } finally {
      testStore.execute(
          "TRUNCATE media_job, media_artifact, webhook_event, idempotency, lease, settlement,"
              + " node_epoch CASCADE");
      testStore.execute(
          "UPDATE scope_account SET used_micro = 0, leased_micro = 0, beyond_micro = 0");
    }
  }

  // Submission

  @Test
  void whatIsSubmittedHoldsItsMoney() throws Exception {
    UUID job = made("a");
    assertThat(leased()).isEqualTo(RESERVED);
    assertThat(one("SELECT count(*) FROM lease WHERE holder = ?", "job:" + job)).isEqualTo("4");
    assertThat(status(job)).isEqualTo("queued");
    assertThat(one("SELECT extract(epoch FROM expires_at - created_at)::int FROM media_job"))
        .isEqualTo("86400");
  }

  @Test
  void aRepeatedSubmissionGetsTheSameJob() throws Exception {
    UUID job = made("a");
    assertThat(submit(UUID.randomUUID(), "a", "body", RESERVED)).containsExactly("replay " + job);
    assertThat(submit(UUID.randomUUID(), "a", "another", RESERVED).getFirst())
        .startsWith("conflict");
    assertThat(leased()).isEqualTo(RESERVED);
    finish(job, "job_fail", "'provider_error', 'it broke'");
    assertThat(submit(UUID.randomUUID(), "a", "body", RESERVED)).containsExactly("replay " + job);
    testStore.setClock(NOON + Duration.ofHours(25).toMillis());
    assertThat(submit(UUID.randomUUID(), "a", "another", RESERVED).getFirst()).startsWith("made");
  }

  @Test
  void theFirstLimitThatRefusesIsNamedAndNothingIsLeft() throws Exception {
    assertThat(submit(UUID.randomUUID(), "a", "body", BALANCE + 1))
        .containsExactly("short org:" + org + " 1000 0 0 f");
    testStore.limitMonth(org, 100L);
    testStore.limitDay(key, 120L);
    testStore.limitMonth(key, 149L);
    assertThat(submit(UUID.randomUUID(), "a", "body", RESERVED))
        .containsExactly(
            "short orgm:" + org + ":2026-11 100 0 0 f",
            "short keyd:" + key + ":2026-11-22 120 0 0 f",
            "short keym:" + key + ":2026-11 149 0 0 f");
    assertThat(one("SELECT count(*) FROM idempotency")).isEqualTo("0");
    assertThat(one("SELECT count(*) FROM lease")).isEqualTo("0");
    assertThat(one("SELECT count(*) FROM media_job")).isEqualTo("0");
    assertThat(submit(UUID.randomUUID(), "a", "another", 100).getFirst()).startsWith("made");
  }

  @Test
  void moneyThatANodeHoldsIdleIsAskedFor() throws Exception {
    LeaseHolder node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    Payer payer = new Payer(org, key, Window.at(NOON));
    var all = new GrantItem(ScopeKind.ORG, new MicroUsd(BALANCE), new MicroUsd(BALANCE));
    var _ = testStore.ledgerStore().grant(node, new GrantRequest(1, payer, List.of(all), true));
    UUID job = UUID.randomUUID();
    assertThat(submit(job, "a", "body", RESERVED))
        .containsExactly("short org:" + org + " 1000 0 1000 t 1");
    assertThat(submit(job, "a", "body", RESERVED, "org:" + org, 1))
        .containsExactly("short org:" + org + " 1000 0 1000 t 1");
    var gives =
        new LeaseStatement(payer, ScopeKind.ORG, new MicroUsd(BALANCE - RESERVED), 1, false);
    var _ = testStore.ledgerStore().tick(node, 2, List.of(gives));
    assertThat(submit(job, "a", "body", RESERVED, "org:" + org, 1)).containsExactly("made " + job);
    assertThat(submit(UUID.randomUUID(), "b", "body", 1, "org:" + org, 1))
        .containsExactly("short org:" + org + " 1000 0 1000 f 1");
  }

  @Test
  void ofAllWhoSubmitTheSameAtOnceOneMakesAJob() throws Exception {
    List<String> answers =
        ConcurrentCalls.of(16, i -> submit(UUID.randomUUID(), "a", "body", RESERVED));
    assertThat(answers).filteredOn(answer -> answer.startsWith("made")).hasSize(1);
    assertThat(answers).filteredOn(answer -> answer.startsWith("replay")).hasSize(15);
    assertThat(leased()).isEqualTo(RESERVED);
  }

  @Test
  void aBalanceIsNotOversoldByThoseWhoComeAtOnce() throws Exception {
    List<String> answers =
        ConcurrentCalls.of(16, i -> submit(UUID.randomUUID(), "k" + i, "body", RESERVED));
    assertThat(answers).filteredOn(answer -> answer.startsWith("made")).hasSize(6);
    assertThat(leased()).isEqualTo(6 * RESERVED);
  }

  // Workers

  @Test
  void twoWorkersNeverHoldTheSameJob() throws Exception {
    testStore.fund(org, 100_000);
    for (int i = 0; i < 40; i++) {
      made("k" + i);
    }
    List<String> claimed = ConcurrentCalls.of(8, i -> claim("w" + i, 4));
    Set<String> jobs = new HashSet<>(claimed);
    assertThat(jobs).hasSameSizeAs(claimed);
    List<String> rest = claim("late", 40);
    assertThat(jobs).doesNotContainAnyElementsOf(rest);
    jobs.addAll(rest);
    assertThat(jobs).hasSize(40);
  }

  @Test
  void aJobIsAnothersOnceItsLeaseEndedAndTheFirstCannotTouchIt() throws Exception {
    UUID job = made("a");
    claim("first", 1);
    assertThat(claim("second", 1)).isEmpty();
    assertThat(holds("SELECT job_intend(?, 'first')", job)).isTrue();
    testStore.setClock(NOON + 31_000);
    assertThat(claim("second", 1)).containsExactly(job.toString());
    assertThat(one("SELECT intent_at IS NOT NULL FROM media_job")).isEqualTo("t");
    assertThat(holds("SELECT job_submitted(?, 'first', 'p1', '2 s')", job)).isFalse();
    assertThat(holds("SELECT job_fail(?, 'first', 'provider_error', '')", job)).isFalse();
    assertThat(holds("SELECT job_submitted(?, 'second', 'p1', '2 s')", job)).isTrue();
    assertThat(holds("SELECT job_submitted(?, 'second', 'p1', '2 s')", job)).isFalse();
    assertThat(status(job)).isEqualTo("submitted");
    assertThat(claim("third", 1)).isEmpty();
    testStore.setClock(NOON + 33_000);
    assertThat(claim("third", 1)).containsExactly(job.toString());
    assertThat(holds("SELECT job_running(?, 'third', 40, '2 s')", job)).isTrue();
    assertThat(one("SELECT progress FROM media_job")).isEqualTo("40");
  }

  @Test
  void aRenewalKeepsAJobAndReportsItsState() throws Exception {
    UUID job = made("a");
    claim("w", 1);
    assertThat(holds("SELECT job_intend(?, 'w')", job)).isTrue();
    testStore.setClock(NOON + 29_000);
    assertThat(heartbeat("w", job)).containsExactly(job + " f f");
    assertThat(heartbeat("somebody", job)).isEmpty();
    testStore.setClock(NOON + 58_000);
    assertThat(claim("other", 1)).isEmpty();
    assertThat(one("SELECT job_cancel(NULL, NULL, ?)", job)).isEqualTo("asked");
    assertThat(heartbeat("w", job)).containsExactly(job + " t f");
  }

  @Test
  void organizationsTakeTurnsAndWhatRunsComesFirst() throws Exception {
    testStore.fund(org, 100_000);
    UUID running = made("r");
    claim("w", 1);
    assertThat(holds("SELECT job_intend(?, 'w')", running)).isTrue();
    assertThat(holds("SELECT job_submitted(?, 'w', 'p', '1 s')", running)).isTrue();
    for (int i = 0; i < 30; i++) {
      made("k" + i);
    }
    OrgId many = org;
    testStore.setClock(NOON + 2_000);
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, BALANCE);
    UUID alone = made("alone");
    assertThat(claim("w2", 2)).containsExactlyInAnyOrder(running.toString(), alone.toString());
    assertThat(claim("w3", 30)).hasSize(30);
    org = many;
  }

  // End

  @ParameterizedTest
  @ValueSource(longs = {0, 100, RESERVED, 400})
  void aJobThatSucceedsIsChargedWhatItCost(long cost) throws Exception {
    UUID job = made("a");
    toProvider(job);
    succeed(job, cost);
    assertThat(status(job)).isEqualTo("succeeded");
    assertThat(one("SELECT started_at IS NOT NULL FROM media_job")).isEqualTo("t");
    assertEnded(job, cost);
    assertThat(one("SELECT beyond_micro FROM scope_account WHERE scope_id = ?", "org:" + org))
        .isEqualTo(String.valueOf(Math.max(0, cost - RESERVED)));
    assertThat(
            testStore.execute(
                "SELECT event || ' ' || url FROM webhook_event WHERE job_id = ?", job))
        .containsExactly("job.completed https://example.com/hook");
  }

  @Test
  void aJobThatFailsCostsNothing() throws Exception {
    UUID job = made("a");
    finish(job, "job_fail", "'provider_error', 'it broke'");
    assertThat(status(job)).isEqualTo("failed");
    assertEnded(job, 0);
    assertThat(testStore.execute("SELECT event FROM webhook_event")).containsExactly("job.failed");
  }

  @Test
  void aJobExpiresByTheDatabasesClockAndIsChargedToTheDayOfItsSubmission() throws Exception {
    UUID job = made("a");
    toProvider(job);
    testStore.setClock(NOON + Duration.ofHours(24).toMillis() - 1);
    claim("w1", 1);
    assertThat(holds("SELECT job_expire(?, 'w1')", job)).isFalse();
    assertThat(holds("SELECT job_release(?, 'w1', '1 h')", job)).isTrue();
    testStore.setClock(NOON + Duration.ofHours(24).toMillis());
    assertThat(claim("w2", 1)).containsExactly(job.toString());
    assertThat(holds("SELECT job_expire(?, 'w2')", job)).isTrue();
    assertEnded(job, 0);
    assertThat(one("SELECT day FROM settlement")).isEqualTo("2026-11-22");
    assertThat(testStore.execute("SELECT event FROM webhook_event")).isEmpty();
  }

  @Test
  void ofAllWhoEndAJobAtOnceOneDoes() throws Exception {
    UUID job = made("a");
    toProvider(job);
    List<String> answers =
        ConcurrentCalls.of(
            12,
            i ->
                switch (i % 3) {
                  case 0 ->
                      testStore.execute("SELECT job_fail(?, 'w', 'provider_error', 'x')", job);
                  case 1 -> testStore.execute("SELECT job_canceled(?, 'w')", job);
                  default -> testStore.execute(SUCCEED, job, 70L);
                });
    assertThat(answers).filteredOn("t"::equals).hasSize(1);
    assertEnded(job, status(job).equals("succeeded") ? 70 : 0);
  }

  @Test
  void aJobThatNoProviderHasIsCanceledAtOnceEvenIfClaimed() throws Exception {
    UUID job = made("a");
    claim("w", 1);
    assertThat(one("SELECT job_cancel(?, 'video', ?)", org.value(), job)).isEqualTo("canceled");
    assertThat(holds("SELECT job_intend(?, 'w')", job)).isFalse();
    assertThat(status(job)).isEqualTo("canceled");
    assertEnded(job, 0);
    assertThat(one("SELECT job_cancel(?, 'video', ?)", org.value(), job)).isEqualTo("over");
    assertThat(testStore.execute("SELECT event FROM webhook_event")).isEmpty();
  }

  @Test
  void aJobAtAProviderIsCanceledByAWorkerOrContinues() throws Exception {
    UUID job = made("a");
    toProvider(job);
    assertThat(holds("SELECT job_running(?, 'w', NULL, '1 h')", job)).isTrue();
    assertThat(one("SELECT job_cancel(?, 'music', ?)", org.value(), job)).isEqualTo("unknown");
    assertThat(one("SELECT job_cancel(?, NULL, ?)", UUID.randomUUID(), job)).isEqualTo("unknown");
    assertThat(one("SELECT job_cancel(?, 'video', ?)", org.value(), job)).isEqualTo("asked");
    assertThat(claim("w2", 1)).containsExactly(job.toString());
    assertThat(holds("SELECT job_cancel_refused(?, 'w2', '1 h')", job)).isTrue();
    assertThat(claim("w3", 1)).isEmpty();
    assertThat(one("SELECT job_cancel(?, 'video', ?)", org.value(), job)).isEqualTo("asked");
    assertThat(holds("SELECT job_cancel_withdrawn(?, ?)", org.value(), job)).isTrue();
    assertThat(holds("SELECT job_cancel_withdrawn(?, ?)", org.value(), job)).isFalse();
    assertThat(one("SELECT job_cancel(?, 'video', ?)", org.value(), job)).isEqualTo("asked");
    claim("w4", 1);
    assertThat(holds("SELECT job_canceled(?, 'w4')", job)).isTrue();
    assertEnded(job, 0);
  }

  // Expiry

  @Test
  void whatOneTestLeavesWrongIsNoOthersTrouble() throws Exception {
    made("a");
    testStore.execute("UPDATE media_job SET estimated_cost_micro = 1");
    assertThatThrownBy(this::sumsAgree).isInstanceOf(AssertionError.class);
    assertThat(one("SELECT count(*) FROM media_job")).isEqualTo("0");
  }

  @Test
  void aJobThatIsRemovedIsForgottenOnceNothingRefersToIt() throws Exception {
    UUID job = made("a");
    assertThat(one("SELECT job_remove(?, NULL, ?)", org.value(), job)).isEqualTo("open");
    toProvider(job);
    succeed(job, 70);
    assertThat(one("SELECT job_remove(?, NULL, ?)", UUID.randomUUID(), job)).isEqualTo("unknown");
    assertThat(one("SELECT job_remove(?, NULL, ?)", org.value(), job)).isEqualTo("removed");
    assertThat(one("SELECT job_remove(?, NULL, ?)", org.value(), job)).isEqualTo("unknown");
    assertThat(one("SELECT params || metadata FROM media_job")).isEqualTo("{}{}");
    assertThat(submit(UUID.randomUUID(), "a", "body", RESERVED)).containsExactly("replay " + job);
    assertThat(one("SELECT job_tidy('30 d', 10)")).isEqualTo("0");
    List<String> due = testStore.execute("SELECT artifact_id FROM job_artifacts_take(10)");
    assertThat(due).hasSize(1);
    testStore.execute("SELECT job_artifacts_forget(ARRAY[?::uuid])", due.getFirst());
    assertThat(testStore.execute("SELECT artifact_id FROM job_artifacts_take(10)")).isEmpty();
    assertThat(one("SELECT job_tidy('30 d', 10)")).isEqualTo("0");
    testStore.execute("DELETE FROM idempotency");
    assertThat(one("SELECT job_tidy('30 d', 10)")).isEqualTo("1");
  }

  @Test
  void artifactsAreKeptForAWhileAndJobsForLonger() throws Exception {
    UUID job = made("a");
    toProvider(job);
    succeed(job, 70);
    testStore.execute("UPDATE webhook_event SET state = 'delivered'");
    testStore.execute("DELETE FROM idempotency");
    assertThat(testStore.execute("SELECT artifact_id FROM job_artifacts_take(10)")).isEmpty();
    testStore.setClock(NOON + Duration.ofDays(7).toMillis());
    List<String> due = testStore.execute("SELECT artifact_id FROM job_artifacts_take(10)");
    assertThat(due).hasSize(1);
    testStore.execute("SELECT job_artifacts_forget(ARRAY[?::uuid])", due.getFirst());
    assertThat(one("SELECT job_tidy('30 d', 10)")).isEqualTo("0");
    testStore.setClock(NOON + Duration.ofDays(30).toMillis());
    assertThat(one("SELECT job_tidy('30 d', 10)")).isEqualTo("1");
  }

  @Test
  void aDayIsNotDroppedWhileAJobMayBeChargedToIt() throws Exception {
    UUID job = made("a");
    assertThat(one("SELECT ledger_is_owed('2026-11-22')")).isEqualTo("t");
    assertThat(one("SELECT job_cancel(NULL, NULL, ?)", job)).isEqualTo("canceled");
    assertThat(one("SELECT ledger_is_owed('2026-11-22')")).isEqualTo("f");
  }

  @Test
  void theAuditNamesAJobWhoseMoneyIsNotWhatItShouldBe() throws Exception {
    UUID job = made("a");
    String before = one("SELECT status FROM media_job");
    testStore.execute("UPDATE media_job SET estimated_cost_micro = 1");
    assertThat(testStore.store().ledgerAudit().run())
        .hasSize(4)
        .allSatisfy(found -> assertThat(found.what()).contains("job:" + job, "150 instead of 1"));
    testStore.execute(
        "UPDATE media_job SET estimated_cost_micro = 150, status = 'canceled', completed_at = now()");
    assertThat(testStore.store().ledgerAudit().run())
        .hasSize(5)
        .anySatisfy(found -> assertThat(found.what()).contains("is over and its lease is open"))
        .anySatisfy(found -> assertThat(found.what()).contains("ended with 0 and is charged "));
    testStore.execute("UPDATE media_job SET status = ?, completed_at = NULL", before);
  }

  // Steps

  private UUID made(String idempotencyKey) throws SQLException {
    UUID job = UUID.randomUUID();
    assertThat(submit(job, idempotencyKey, "body", RESERVED)).containsExactly("made " + job);
    return job;
  }

  private List<String> submit(
      UUID job, String idempotencyKey, String body, long reserved, Object... recall)
      throws SQLException {
    boolean isRecalled = recall.length > 0;
    return testStore.execute(
        "SELECT concat_ws(' ', answer, job_id, scope_id, limit_micro, used_micro, leased_micro,"
            + " CASE WHEN answer = 'short' THEN awaits END, recall)"
            + " FROM job_submit(?, ?, ?, ?, '2026-11-22', '/v1/video/generations', ?,"
            + " sha256(?::text::bytea), '24 h', 'video', 'acme/film', 'mock', '{\"prompt\":\"x\"}',"
            + " 'https://example.com/hook', '{}', ?, ?, '24 h', array_remove(ARRAY[?::text], NULL),"
            + " array_remove(ARRAY[?::bigint], NULL))",
        job,
        org.value(),
        key.value(),
        RequestId.at(NOON).value(),
        idempotencyKey,
        body,
        reserved,
        Math.max(reserved, 200),
        isRecalled ? recall[0] : null,
        isRecalled ? recall[1] : null);
  }

  private List<String> claim(String worker, int most) throws SQLException {
    return testStore.execute("SELECT id FROM job_claim(?, '30 s', ?)", worker, most);
  }

  private List<String> heartbeat(String worker, UUID job) throws SQLException {
    return testStore.execute(
        "SELECT concat_ws(' ', job_id, cancel_asked, is_expired)"
            + " FROM job_heartbeat(ARRAY[?], ARRAY[?::uuid], '30 s')",
        worker,
        job);
  }

  /** Brings a job to the state in which a provider has it, claimed by the worker w. */
  private void toProvider(UUID job) throws SQLException {
    assertThat(claim("w", 1)).containsExactly(job.toString());
    assertThat(holds("SELECT job_intend(?, 'w')", job)).isTrue();
    assertThat(holds("SELECT job_submitted(?, 'w', 'p', '0 s')", job)).isTrue();
    assertThat(claim("w", 1)).containsExactly(job.toString());
  }

  private void finish(UUID job, String end, String arguments) throws SQLException {
    assertThat(claim("w", 1)).containsExactly(job.toString());
    assertThat(holds("SELECT " + end + "(?, 'w', " + arguments + ")", job)).isTrue();
  }

  private static final String SUCCEED =
      "SELECT job_succeed(?, 'w', ?, '7 d', ARRAY[gen_random_uuid()], ARRAY['video'],"
          + " ARRAY['video/mp4'], ARRAY['a/b'], ARRAY[12::bigint], ARRAY[640], ARRAY[480],"
          + " ARRAY[2.5::float8])";

  private void succeed(UUID job, long cost) throws SQLException {
    assertThat(holds(SUCCEED, job, cost)).isTrue();
    assertThat(holds(SUCCEED, job, cost)).isFalse();
  }

  private void assertEnded(UUID job, long cost) throws SQLException {
    assertThat(leased()).isZero();
    assertThat(testStore.balance(org).used()).isEqualTo(cost);
    assertThat(testStore.execute("SELECT cost_micro FROM settlement"))
        .containsExactly(String.valueOf(cost));
    assertThat(one("SELECT count(*) FROM lease WHERE state = 'open'")).isEqualTo("0");
    assertThat(claim("late", 10)).isEmpty();
    assertThat(one("SELECT cost_micro FROM media_job WHERE id = ?", job))
        .isEqualTo(String.valueOf(cost));
  }

  private long leased() throws SQLException {
    return testStore.balance(org).leased();
  }

  private String status(UUID job) throws SQLException {
    return one("SELECT status FROM media_job WHERE id = ?", job);
  }

  private boolean holds(String sql, Object... values) throws SQLException {
    return one(sql, values).equals("t");
  }

  private String one(String sql, Object... values) throws SQLException {
    List<String> answers = testStore.execute(sql, values);
    assertThat(answers).hasSize(1);
    return answers.getFirst();
  }
}
