package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.jobs.JobRows;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimRequest;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimedJobRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Order of claims, the number of jobs at a provider, and the traces of inconclusive polls. */
@Execution(ExecutionMode.CONCURRENT)
class JobClaimOrderIT {
  private static final long NOON = Instant.parse("2026-11-22T12:00:00Z").toEpochMilli();
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final OrgId NO_ORG = new OrgId(new UUID(0, 0));
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final OrgId many = new OrgId(new UUID(1, 1));
  private final OrgId few = new OrgId(new UUID(Long.MIN_VALUE, 2));
  private JobRows rows;

  @BeforeEach
  void begin() throws Exception {
    testStore.setClock(NOON);
    testStore.execute("TRUNCATE media_job CASCADE");
    rows = testStore.store().jobRows();
  }

  // Turns

  @Test
  void aBacklogDelaysNoOtherOrganizationInSingleClaims() throws Exception {
    queue(many, "dead", 50, 600);
    queue(few, "dead", 2, 1);
    OrgId last = NO_ORG;
    List<OrgId> turns = new ArrayList<>();
    for (int turn = 0; turn < 5; turn++) {
      ClaimedJobRow job =
          claim(new ClaimRequest(1, last, "dead", Map.of(), 1, Set.of())).getFirst();
      last = job.job().org();
      turns.add(last);
    }
    assertThat(turns).containsExactly(many, few, many, few, many);
  }

  @Test
  void nodesOfBeforeAreFairToo() throws Exception {
    queue(many, "dead", 200, 600);
    queue(few, "dead", 1, 1);
    int turns = 0;
    while (testStore
        .execute("SELECT id FROM media_job WHERE org_id = ? AND worker IS NOT NULL", few.value())
        .isEmpty()) {
      assertThat(++turns).as("turns of the other one").isLessThan(100);
      testStore.execute("SELECT id FROM job_claim('old', '30 s', 1)");
    }
  }

  @Test
  void aProviderHasNoMoreThanItsShareWhileThereAreJobsOfOthers() throws Exception {
    queue(many, "dead", 50, 600);
    queue(many, "fine", 1, 1);
    assertThat(providers(new ClaimRequest(4, NO_ORG, "", Map.of(), 3, Set.of())))
        .containsExactlyInAnyOrder("dead", "dead", "dead", "fine");
    assertThat(
            providers(new ClaimRequest(4, NO_ORG, "", Map.of("dead", 2, "fine", 1), 3, Set.of())))
        .containsExactly("dead");
    assertThat(
            providers(new ClaimRequest(1, NO_ORG, "", Map.of("dead", 3, "fine", 1), 3, Set.of())))
        .isEmpty();
    testStore.execute("DELETE FROM media_job WHERE provider = 'fine'");
    assertThat(providers(new ClaimRequest(4, NO_ORG, "", Map.of("dead", 3), 3, Set.of())))
        .hasSize(4);
  }

  @Test
  void ofAClosedProviderOnlyWhatItMayHaveIsTakenUp() throws Exception {
    queue(many, "full", 5, 600);
    UUID begun = UUID.fromString(testStore.execute("SELECT id FROM media_job LIMIT 1").getFirst());
    testStore.execute("UPDATE media_job SET intent_at = ledger_now() WHERE id = ?", begun);
    List<ClaimedJobRow> taken = claim(new ClaimRequest(4, NO_ORG, "", Map.of(), 4, Set.of("full")));
    assertThat(taken).extracting(job -> job.id().value()).containsExactly(begun);
  }

  /** A claim examines 2,000 organizations; their ids are random, and so is the first one. */
  @Test
  void anOrganizationBeyondTheExaminedOnesIsFoundByALaterClaim() throws Exception {
    testStore.execute(
        """
        INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,
                               estimated_cost_micro, max_cost_micro, params, metadata, created_at,
                               expires_at, next_look_at)
        SELECT gen_random_uuid(), gen_random_uuid(), 'key',
               left(replace(gen_random_uuid()::text, '-', ''), 30), '2026-11-22', 'video', 'm', 'p',
               'queued', 0, 0, '{}', '{}', ledger_now(), ledger_now() + interval '1 day',
               ledger_now() + interval '1 hour'
          FROM generate_series(1, 5000)""");
    OrgId busy = new OrgId(UUID.randomUUID());
    OrgId awaited = new OrgId(UUID.randomUUID());
    queue(busy, "p", 200, 600);
    queue(awaited, "p", 1, 1);
    int rounds = 0;
    List<ClaimedJobRow> taken = List.of();
    while (taken.isEmpty() || !taken.getFirst().job().org().equals(awaited)) {
      assertThat(++rounds).as("looks").isLessThan(150);
      OrgId last = taken.isEmpty() ? new OrgId(UUID.randomUUID()) : busy;
      taken = claim(new ClaimRequest(1, last, taken.isEmpty() ? "" : "p", Map.of(), 1, Set.of()));
    }
  }

  @Test
  void aClaimReadsAFewRowsOfTenThousand() throws Exception {
    for (int org = 0; org < 20; org++) {
      queue(new OrgId(new UUID(9, org)), org % 2 == 0 ? "one" : "two", 500, 600);
      over(new OrgId(new UUID(9, org)), 500);
    }
    testStore.execute("ANALYZE media_job");
    try (Connection connection = testStore.store().pool().getConnection()) {
      connection.setAutoCommit(false);
      long before = read(connection, "idx_tup_fetch");
      long scansBefore = read(connection, "seq_scan");
      for (int claim = 0; claim < 10; claim++) {
        assertThat(claimed(connection, "two")).isEqualTo(4);
      }
      assertThat(read(connection, "seq_scan") - scansBefore).as("whole tables read").isZero();
      assertThat(read(connection, "idx_tup_fetch") - before)
          .as("rows of ten claims")
          .isLessThan(5_000);
      connection.rollback();
    }
  }

  private static int claimed(Connection connection, String lastProvider) throws SQLException {
    try (PreparedStatement claim =
        connection.prepareStatement(
            "SELECT count(*) FROM job_claim('w', '30 s', 4, ?, ?, '{}', '{}', 3, '{}')")) {
      claim.setObject(1, new UUID(9, 3));
      claim.setString(2, lastProvider);
      try (ResultSet row = claim.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  private static long read(Connection connection, String count) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(
                "SELECT "
                    + count
                    + " FROM pg_stat_xact_user_tables WHERE relid = 'media_job'::regclass");
        ResultSet row = select.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  // Bounds

  @Test
  void concurrentClaimsNeverExceedAProvidersLimit() throws Exception {
    queue(many, "p", 12, 600);
    queue(many, "other", 1, 600);
    List<ClaimedJobRow> held = claim(new ClaimRequest(12, NO_ORG, "", Map.of(), 12, Set.of()));
    List<ClaimedJobRow> ofIt =
        held.stream().filter(job -> job.job().provider().equals("p")).toList();
    List<String> answers =
        ConcurrentCalls.of(ofIt.size(), i -> List.of(rows.intend(ofIt.get(i), 3)));
    assertThat(answers).filteredOn("noted"::equals).hasSize(3);
    assertThat(answers).filteredOn("full"::equals).hasSize(ofIt.size() - 3);
    for (int i = 0; i < ofIt.size(); i++) {
      if (answers.get(i).equals("noted")) {
        assertThat(rows.intend(ofIt.get(i), 3)).as("what is counted already").isEqualTo("noted");
      }
    }
    assertThat(testStore.execute("SELECT count(*) FROM media_job WHERE intent_at IS NOT NULL"))
        .containsExactly("3");
  }

  @Test
  void whatIsHeldBackKeepsItsPlaceInTheQueue() throws Exception {
    queue(many, "p", 2, 600);
    ClaimedJobRow first = claimOne();
    assertThat(rows.release(first)).isTrue();
    assertThat(rows.release(first)).isFalse();
    ClaimedJobRow again = claimOne();
    assertThat(again.id()).isEqualTo(first.id());
    assertThat(again.attempts()).isZero();
  }

  // Inconclusive polls

  @Test
  void whatSpeaksAgainstAJobIsCountedByItselfUntilItIsKnownAgain() throws Exception {
    queue(many, "p", 1, 600);
    assertThat(rows.inconclusive(claimOne(), "absent", Duration.ZERO)).isTrue();
    assertThat(rows.inconclusive(claimOne(), null, Duration.ZERO)).isTrue();
    assertThat(rows.inconclusive(claimOne(), "absent", Duration.ZERO)).isTrue();
    ClaimedJobRow job = claimOne();
    assertThat(job).returns("absent", ClaimedJobRow::doubt).returns(2, ClaimedJobRow::doubts);
    assertThat(job.attempts()).isEqualTo(3);
    assertThat(rows.inconclusive(job, "storage", Duration.ZERO)).isTrue();
    job = claimOne();
    assertThat(job).returns("storage", ClaimedJobRow::doubt).returns(1, ClaimedJobRow::doubts);
    assertThat(rows.intend(job, 9)).isEqualTo("noted");
    assertThat(rows.inconclusive(job, null, Duration.ZERO)).isTrue();
    job = claimOne();
    assertThat(job).as("of an attempt before").returns(null, ClaimedJobRow::doubt);
    assertThat(rows.submitted(job, "p1", Duration.ZERO)).isTrue();
    assertThat(rows.inconclusive(claimOne(), "file", Duration.ZERO)).isTrue();
    assertThat(rows.waiting(claimOne(), Duration.ZERO)).isTrue();
    assertThat(claimOne())
        .returns(null, ClaimedJobRow::doubt)
        .returns(0, ClaimedJobRow::doubts)
        .returns(0, ClaimedJobRow::attempts);
  }

  @Test
  void aNewCancellationMakesAJobDueAtOnceAndAKnownOneDoesNot() throws Exception {
    queue(many, "p", 1, 600);
    ClaimedJobRow held = claimOne();
    assertThat(rows.intend(held, 9)).isEqualTo("noted");
    assertThat(testStore.execute("SELECT job_cancel(NULL, NULL, ?)", held.id().value()))
        .containsExactly("asked");
    assertThat(rows.inconclusive(held, null, Duration.ofSeconds(30))).isTrue();
    ClaimedJobRow toCancel = claimOne();
    assertThat(toCancel.cancelAsked()).isTrue();
    assertThat(rows.inconclusive(toCancel, null, Duration.ofSeconds(2))).isTrue();
    assertThat(claim(next(1))).isEmpty();
    testStore.setClock(NOON + 2_000);
    assertThat(claimOne().intent()).contains(Duration.ofSeconds(2));
  }

  @Test
  void whoSubmitsAgainIsAwaitedAnew() throws Exception {
    queue(many, "p", 1, 600);
    ClaimedJobRow held = claimOne();
    assertThat(rows.intend(held, 9)).isEqualTo("noted");
    assertThat(rows.inconclusive(held, null, Duration.ZERO)).isTrue();
    testStore.setClock(NOON + 50_000);
    held = claimOne();
    assertThat(held.intent()).contains(Duration.ofSeconds(50));
    assertThat(rows.intend(held, 9)).isEqualTo("noted");
    assertThat(rows.inconclusive(held, null, Duration.ZERO)).isTrue();
    assertThat(claimOne().intent()).contains(Duration.ZERO);
  }

  // Steps

  private static ClaimRequest next(int most) {
    return new ClaimRequest(most, NO_ORG, "", Map.of(), most, Set.of());
  }

  private List<ClaimedJobRow> claim(ClaimRequest request) throws SQLException {
    return rows.claim("node", LEASE, request);
  }

  private ClaimedJobRow claimOne() throws SQLException {
    List<ClaimedJobRow> claimed = claim(next(1));
    assertThat(claimed).hasSize(1);
    return claimed.getFirst();
  }

  private List<String> providers(ClaimRequest request) throws SQLException {
    return claim(request).stream().map(each -> each.job().provider()).toList();
  }

  /** Adds jobs that have waited for {@code seconds}, the first for longest. */
  private static void queue(OrgId org, String provider, int count, int seconds)
      throws SQLException {
    insert(org, provider, "queued", count, seconds);
  }

  private static void over(OrgId org, int count) throws SQLException {
    insert(org, "one", "expired", count, 600);
  }

  private static void insert(OrgId org, String provider, String status, int count, int seconds)
      throws SQLException {
    testStore.execute(
        """
        INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,
                               estimated_cost_micro, max_cost_micro, params, metadata, created_at,
                               expires_at, next_look_at, completed_at)
        SELECT gen_random_uuid(), ?, 'key', left(replace(gen_random_uuid()::text, '-', ''), 30),
               '2026-11-22', 'video', 'm', ?, s.status, 0, 0, '{}', '{}', at, at + interval '1 day',
               at, CASE WHEN s.status = 'queued' THEN NULL ELSE at END
          FROM generate_series(1, ?) n,
               LATERAL (SELECT ledger_now() - make_interval(secs => ?) + n * interval '1 ms') a (at),
               (SELECT ?::text) s (status)""",
        org.value(),
        provider,
        count,
        (double) seconds,
        status);
  }
}
