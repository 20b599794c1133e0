package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows that lookups read if the database last counted its rows while nothing was pending, so that
 * reading all pending rows seems cheap, or if plans are cached from when tables were tiny. Rows are
 * counted by the database's own statistics.
 */
@Execution(ExecutionMode.CONCURRENT)
class LookupPlansIT {
  private static final int PENDING = 500;

  /** Enough rows for the tables' own indexes to have a realistic height. */
  private static final int PAST = 6_000;

  /** Rows of one lookup; each changed row is read again. */
  private static final long ROWS_OF_A_LOOKUP = 12;

  private static final String CLAIM =
      "SELECT count(*) FROM webhook_claim('w', 16, 4, 4, 16, 16, '1 min', '0', '{}')";

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static UUID org;

  @BeforeAll
  static void open() throws Exception {
    org = testStore.newOrg().value();
    jobs(testStore, org, "past", PAST, "1 day");
    events(testStore, "past", "delivered");
    testStore.execute("VACUUM ANALYZE media_job, webhook_event, idempotency, organization");
    jobs(testStore, org, "now", PENDING, "1 s");
    events(testStore, "now", "pending");
  }

  @Test
  void aClaimOfAnnouncementsReadsThoseThatItTakes() throws Exception {
    try (Read read = new Read(testStore)) {
      assertThat(read.first(CLAIM))
          .as("of two receivers, which have four places each")
          .isEqualTo("8");
      assertThat(read.rowsOf("webhook_event")).isLessThan(8 * ROWS_OF_A_LOOKUP);
    }
  }

  @Test
  void aClaimDoesNotReadWhatIsKnownOfThoseThatDoNotWait() throws Exception {
    testStore.execute(
        "INSERT INTO organization (id, name, webhook_secret)"
            + " SELECT gen_random_uuid(), 'idle' || n, sha256('s') FROM generate_series(1, 1000) n");
    testStore.execute(
        "INSERT INTO webhook_slow SELECT id, 'slow.example', ledger_now() FROM organization"
            + " WHERE name LIKE 'idle%'");
    testStore.execute("VACUUM ANALYZE organization, webhook_slow");
    try (Read read = new Read(testStore)) {
      assertThat(read.first(CLAIM)).isEqualTo("8");
      assertThat(read.rowsOf("organization")).isLessThan(2 * ROWS_OF_A_LOOKUP);
      assertThat(read.rowsOf("webhook_slow")).isLessThan(2 * ROWS_OF_A_LOOKUP);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT webhook_release(id, 'w', 1, '1 s') FROM held",
        "SELECT webhook_hold(id, 'w', 1, 'key_missing', '1 s') FROM held",
        "SELECT webhook_book(id, 'w', 1, 1, 'http_error', 500, 7, 'again', '1 s', 1000) FROM held",
        "SELECT job_remove(NULL, NULL, job_id) FROM held",
      })
  void anAnnouncementIsFoundByItsName(String lookup) throws Exception {
    try (Read read = new Read(testStore)) {
      read.first(CLAIM);
      read.run(
          "CREATE TEMPORARY TABLE held ON COMMIT DROP AS"
              + " SELECT id, job_id FROM webhook_event WHERE lease_until > ledger_now() LIMIT 1");
      read.countAnew();
      read.first(lookup);
      assertThat(read.rowsOf("webhook_event")).isLessThan(ROWS_OF_A_LOOKUP);
    }
  }

  @Test
  void aJobIsForgottenForWhatRefersToItAlone() throws Exception {
    try (Read read = new Read(testStore)) {
      assertThat(read.first("SELECT job_tidy('1 hour', 10)")).isEqualTo("10");
      assertThat(read.rowsOf("webhook_event")).isLessThan(10 * ROWS_OF_A_LOOKUP);
      assertThat(read.rowsOf("media_job")).isLessThan(10 * ROWS_OF_A_LOOKUP);
    }
  }

  @Test
  void submissionsThatAreRememberedAreNotReadToFindThoseThatExpired() throws Exception {
    try (Read read = new Read(testStore)) {
      submissions(read, "later", PENDING, "1 hour");
      submissions(read, "over", 3, "-1 hour");
      read.countAnew();
      assertThat(read.first("SELECT idempotency_tidy(100)")).isEqualTo("3");
      assertThat(read.rowsOf("idempotency")).isLessThan(3 * ROWS_OF_A_LOOKUP);
    }
  }

  @Test
  void aPlanThatIsKeptFromWhenTablesWereTinyReadsNoMore() throws Exception {
    String unknown = "'" + UUID.randomUUID() + "'";
    List<String> lookups =
        List.of(
            "SELECT answer FROM idempotency_claim('"
                + UUID.randomUUID()
                + "', 'e', 'k',"
                + " sha256('b'), 'r', '1 min', '1 d', 500, 't', '{}', '{}', '')",
            "SELECT webhook_book(" + unknown + ", 'w', 1, 1, 'ok', 200, 7, 'again', '1 s', 1000)",
            "SELECT webhook_release(" + unknown + ", 'w', 1, '1 s')",
            "SELECT webhook_hold(" + unknown + ", 'w', 1, 'key_missing', '1 s')",
            "SELECT webhook_resend(" + unknown + ")",
            "SELECT count(*) FROM job_artifacts_take(20)",
            "SELECT job_artifacts_forget(ARRAY[" + unknown + "::uuid])",
            CLAIM);
    try (TestLedgerStore young = TestLedgerStore.open();
        Read read = new Read(young)) {
      UUID its = young.newOrg().value();
      tiny(young, its);
      for (int turn = 0; turn < 7; turn++) {
        for (String lookup : lookups) {
          read.first(lookup);
        }
      }
      read.end();
      jobs(young, its, "past", PENDING, "1 day");
      events(young, "past", "pending");
      files(young, "past");
      young.execute(
          "INSERT INTO idempotency (org_id, endpoint, key, body_sha256, state, request_id,"
              + " claimed_at, lease_until, expires_at)"
              + " SELECT ?, 'e', n, sha256('b'), 'claimed', 'r', ledger_now(), ledger_now(),"
              + " ledger_now() + interval '1 h' FROM generate_series(1, ?) n",
          its,
          PENDING);
      for (String lookup : lookups) {
        read.countAnew();
        read.first(lookup);
        assertThat(read.rows()).as(lookup).isLessThan(8 * ROWS_OF_A_LOOKUP);
      }
    }
  }

  /** Adds a few rows of each kind, and updates the statistics. */
  private static void tiny(TestLedgerStore young, UUID its) throws SQLException {
    jobs(young, its, "first", 3, "1 day");
    events(young, "first", "delivered");
    files(young, "first");
    young.execute(
        "VACUUM ANALYZE media_job, webhook_event, webhook_delivery, webhook_slow, idempotency,"
            + " media_artifact, media_image, organization");
  }

  /** Adds jobs that ended some time ago; their request holds the name. */
  private static void jobs(TestLedgerStore testStore, UUID org, String name, int count, String ago)
      throws SQLException {
    testStore.execute(
        """
        INSERT INTO media_job (id, org_id, key_id, request_id, day, kind, model, provider, status,
                               estimated_cost_micro, max_cost_micro, params, metadata, created_at,
                               expires_at, next_look_at, completed_at)
        SELECT gen_random_uuid(), ?, 'key', rpad(? || n, 30, '_'), '2026-11-22', 'video', 'm',
               'mock', 'succeeded', 0, 0, '{}', '{}', at, at, at, at
          FROM generate_series(1, ?) n,
               LATERAL (SELECT ledger_now() - ?::interval - n * interval '1 ms') a (at)""",
        org,
        name,
        count,
        ago);
  }

  /** Adds a webhook event of each such job, to one of two receivers. */
  private static void events(TestLedgerStore testStore, String name, String state)
      throws SQLException {
    testStore.execute(
        """
        INSERT INTO webhook_event (id, org_id, job_id, event, url, request_id, created_at,
                                   next_attempt_at, state)
        SELECT gen_random_uuid(), j.org_id, j.id, 'job.completed',
               'https://h' || row_number() OVER () % 2 || '.example/x', j.request_id,
               j.completed_at, j.completed_at, ?
          FROM media_job j WHERE j.request_id LIKE ? || '%'""",
        state, name);
  }

  /** Adds an artifact and an image of each such job, which are not due. */
  private static void files(TestLedgerStore testStore, String name) throws SQLException {
    testStore.execute(
        "INSERT INTO media_artifact (id, job_id, type, content_type, blob_key, size_bytes, width,"
            + " height, duration_seconds, created_at)"
            + " SELECT gen_random_uuid(), id, 'video', 'video/mp4', 'b', 1, 1, 1, 1, created_at"
            + " FROM media_job WHERE request_id LIKE ? || '%'",
        name);
    testStore.execute(
        "INSERT INTO media_image (job_id, n, blob_key)"
            + " SELECT id, 1, 'b' FROM media_job WHERE request_id LIKE ? || '%'",
        name);
  }

  private static void submissions(Read read, String name, int count, String expires)
      throws SQLException {
    read.run(
        "INSERT INTO idempotency (org_id, endpoint, key, body_sha256, state, request_id, claimed_at,"
            + " lease_until, expires_at) SELECT '"
            + org
            + "', 'e', '"
            + name
            + "' || n,"
            + " sha256('b'), 'claimed', 'r', ledger_now(), ledger_now() - interval '1 d',"
            + " ledger_now() + interval '"
            + expires
            + "' FROM generate_series(1, "
            + count
            + ") n");
  }

  /** One transaction that is rolled back, and the number of rows it read. */
  private static final class Read implements AutoCloseable {
    private final Connection connection;
    private Map<String, Long> before = Map.of();

    Read(TestLedgerStore testStore) throws SQLException {
      connection = testStore.store().pool().getConnection();
      connection.setAutoCommit(false);
      countAnew();
    }

    void run(String sql) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.execute();
      }
    }

    String first(String sql) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(sql);
          ResultSet row = statement.executeQuery()) {
        assertThat(row.next()).as(sql).isTrue();
        return String.valueOf(row.getString(1));
      }
    }

    /** Resets the counter; some rows may belong to an earlier transaction. */
    void countAnew() throws SQLException {
      before = counted();
    }

    long rowsOf(String table) throws SQLException {
      return counted().getOrDefault(table, 0L) - before.getOrDefault(table, 0L);
    }

    /** Returns the rows read of all tables. */
    long rows() throws SQLException {
      return sum(counted()) - sum(before);
    }

    private static long sum(Map<String, Long> rows) {
      return rows.values().stream().mapToLong(Long::longValue).sum();
    }

    private Map<String, Long> counted() throws SQLException {
      Map<String, Long> rows = new HashMap<>();
      try (PreparedStatement statement =
              connection.prepareStatement(
                  "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0)"
                      + " FROM pg_stat_xact_user_tables WHERE schemaname = 'tollgate'");
          ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          rows.put(row.getString(1), row.getLong(2));
        }
      }
      return rows;
    }

    void end() throws SQLException {
      connection.rollback();
    }

    @Override
    public void close() throws SQLException {
      end();
      connection.close();
    }
  }
}
