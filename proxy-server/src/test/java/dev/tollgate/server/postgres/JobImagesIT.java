package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.postgres.jobs.JobRows;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimRequest;
import dev.tollgate.server.postgres.jobs.JobRows.ClaimedJobRow;
import dev.tollgate.server.postgres.jobs.JobRows.DueArtifact;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Images of jobs in a real database: their owner and their expiry. */
@Execution(ExecutionMode.CONCURRENT)
class JobImagesIT {
  private static final long NOON = Instant.parse("2026-11-22T12:00:00Z").toEpochMilli();
  private static final long BALANCE = 1_000;
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private JobRows rows;
  private OrgId org;
  private KeyId key;

  @BeforeEach
  void begin() throws Exception {
    testStore.setClock(NOON);
    testStore.execute("TRUNCATE media_job, media_image, media_artifact, idempotency CASCADE");
    rows = testStore.store().jobRows();
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, BALANCE);
  }

  @Test
  void aClaimHasTheImagesInOrderUntilAProviderHasTheJob() throws Exception {
    made("k", "c", "a", "b");
    ClaimedJobRow job = claimed();
    assertThat(job.images()).containsExactly("c", "a", "b");
    assertThat(rows.intend(job, 9)).isEqualTo("noted");
    assertThat(rows.inconclusive(job, null, Duration.ZERO)).isTrue();
    job = claimed();
    assertThat(job.images()).as("it may have to be submitted again").hasSize(3);
    assertThat(rows.submitted(job, "p1", Duration.ZERO)).isTrue();
    assertThat(claimed().images()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT job_cancel(NULL, NULL, id) FROM media_job",
        "SELECT job_fail(id, worker, 'provider_error', '') FROM media_job",
        "SELECT job_canceled(id, worker) FROM media_job",
        "SELECT job_expire(id, worker) FROM media_job",
        "SELECT job_succeed(id, worker, 1, '7 d', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')"
            + " FROM media_job",
      })
  void theyGoWithTheJobsEndWhicheverItIs(String end) throws Exception {
    made("k", "a", "b");
    made("other", "c");
    testStore.execute("DELETE FROM media_job WHERE id NOT IN (SELECT id FROM media_job LIMIT 1)");
    ClaimedJobRow job = claimed();
    if (!end.contains("job_cancel(")) {
      assertThat(rows.intend(job, 9)).isEqualTo("noted");
      assertThat(rows.submitted(job, "p1", Duration.ZERO)).isTrue();
      job = claimed();
    }
    testStore.setClock(NOON + Duration.ofHours(24).toMillis());
    assertThat(rows.takeArtifactsDue(10)).isEmpty();
    testStore.execute(end);
    assertThat(testStore.execute("SELECT completed_at IS NOT NULL FROM media_job"))
        .containsExactly("t");
    List<String> its =
        testStore.execute("SELECT blob_key FROM media_image WHERE job_id = ?", job.id().value());
    List<DueArtifact> due = rows.takeArtifactsDue(10);
    assertThat(due).extracting(DueArtifact::blob).containsExactlyInAnyOrderElementsOf(its);
    assertThat(rows.takeArtifactsDue(10)).as("for another node").isEmpty();
    rows.forget(due.subList(0, 1));
    testStore.setClock(NOON + Duration.ofHours(24).toMillis() + 60_000);
    assertThat(rows.takeArtifactsDue(10)).containsExactlyElementsOf(due.subList(1, due.size()));
  }

  @Test
  void whatMakesNoJobOwnsNone() throws Exception {
    made("k", "a");
    assertThat(submit("k", "body", 100, "b")).startsWith("replay");
    assertThat(submit("k", "another", 100, "b")).startsWith("conflict");
    assertThat(submit("l", "body", BALANCE + 1, "b")).startsWith("short");
    assertThat(testStore.execute("SELECT blob_key FROM media_image")).containsExactly("a");
  }

  @Test
  void aJobIsForgottenAlsoWhereItsImagesCouldNotBeDeleted() throws Exception {
    made("k", "a");
    testStore.execute("SELECT job_cancel(NULL, NULL, id) FROM media_job");
    assertThat(rows.takeArtifactsDue(10)).hasSize(1);
    testStore.execute("DELETE FROM idempotency");
    testStore.setClock(NOON + Duration.ofDays(31).toMillis());
    assertThat(rows.tidy(Duration.ofDays(30), 10)).isEqualTo(1);
    assertThat(rows.takeArtifactsDue(10)).extracting(DueArtifact::blob).containsExactly("a");
  }

  private void made(String idempotencyKey, String... images) throws SQLException {
    assertThat(submit(idempotencyKey, "body", 100, images)).startsWith("made");
  }

  private String submit(String idempotencyKey, String body, long reserved, String... images)
      throws SQLException {
    return testStore
        .execute(
            "SELECT answer FROM job_submit(?, ?, ?, ?, '2026-11-22', '/v1/video/generations', ?,"
                + " sha256(?::text::bytea), '24 h', 'video', 'acme/film', 'mock', '{}', NULL, '{}',"
                + " ?, ?, '24 h', '{}', '{}', string_to_array(?, ','))",
            UUID.randomUUID(),
            org.value(),
            key.value(),
            RequestId.at(NOON).value(),
            idempotencyKey,
            body,
            reserved,
            reserved,
            String.join(",", images))
        .getFirst();
  }

  private ClaimedJobRow claimed() throws SQLException {
    var request = new ClaimRequest(1, new OrgId(new UUID(0, 0)), "", Map.of(), 1, Set.of());
    List<ClaimedJobRow> claimed = rows.claim("node", Duration.ofDays(2), request);
    assertThat(claimed).hasSize(1);
    return claimed.getFirst();
  }
}
