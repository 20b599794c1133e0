package dev.tollgate.server.postgres.jobs;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.job.JobSubmissionKey;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.ledger.Scope;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * DAO of media jobs for their owners: submission, cancellation and removal, each one statement of
 * {@code V10__job_submission}. Calls block.
 */
final class JobSubmissions {
  private final DataSource pool;
  private final Duration retention;
  private final Duration ttl;

  /**
   * @param retention time for which a repeated submission is not carried out again
   * @param ttl time after which a job expires
   */
  JobSubmissions(DataSource pool, Duration retention, Duration ttl) {
    this.pool = pool;
    this.retention = retention;
    this.ttl = ttl;
  }

  /** Result of submitting a media job. */
  sealed interface SubmitAnswer {
    record Created() implements SubmitAnswer {}

    record Replay(JobId job) implements SubmitAnswer {}

    record Conflict() implements SubmitAnswer {}

    /** Other nodes were asked to return unused leases; the next call passes these recalls. */
    record AwaitsRecalls(Map<String, Long> recalls) implements SubmitAnswer {}

    record InsufficientBudget(List<Shortage> shortages) implements SubmitAnswer {}
  }

  /** Result of canceling or removing a job, by the store's names. */
  enum Outcome {
    CANCELED,
    ASKED,
    OVER,
    OPEN,
    REMOVED,
    UNKNOWN
  }

  /** Returns the result of an earlier submission under the same key; empty if there was none. */
  Optional<SubmitAnswer> findEarlier(JobSubmissionKey submissionKey) throws SQLException {
    byte[] sha256 = submissionKey.body().sha256();
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT body_sha256 = ?, job_id FROM idempotency"
                    + " WHERE org_id = ? AND endpoint = ? AND key = ?"
                    + " AND expires_at > ledger_now()")) {
      select.setBytes(1, sha256);
      select.setObject(2, submissionKey.org().value());
      select.setString(3, submissionKey.endpoint());
      select.setString(4, submissionKey.idempotencyKey().text());
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        return Optional.of(
            row.getBoolean(1)
                ? new SubmitAnswer.Replay(new JobId(row.getObject(2, UUID.class)))
                : new SubmitAnswer.Conflict());
      }
    }
  }

  SubmitAnswer submit(JobSpec spec, byte[] sha256, Map<String, Long> awaited) throws SQLException {
    List<Map.Entry<String, Long>> recalls = List.copyOf(awaited.entrySet());
    try (Connection connection = pool.getConnection();
        PreparedStatement submit =
            connection.prepareStatement(
                "SELECT * FROM job_submit(?, ?, ?, ?, ?::date, ?, ?, ?, make_interval(secs => ?),"
                    + " ?, ?, ?, ?, ?, ?, ?, ?, make_interval(secs => ?), ?, ?, ?)")) {
      submit.setObject(1, spec.id().value());
      submit.setObject(2, spec.org().value());
      submit.setString(3, spec.key().value());
      submit.setString(4, spec.request().value());
      submit.setString(5, Window.at(spec.request().epochMillis()).day().toString());
      submit.setString(6, spec.endpoint());
      submit.setString(7, spec.idempotencyKey().text());
      submit.setBytes(8, sha256);
      submit.setDouble(9, seconds(retention));
      submit.setString(10, spec.kind().wire());
      submit.setString(11, spec.model());
      submit.setString(12, spec.provider());
      submit.setString(13, spec.params().toString());
      submit.setString(14, spec.webhookUrl());
      submit.setString(15, spec.metadata().toString());
      submit.setLong(16, spec.reserved().value());
      submit.setLong(17, spec.max().value());
      submit.setDouble(18, seconds(ttl));
      submit.setArray(19, SqlArrays.of(connection, "text", recalls, Map.Entry::getKey));
      submit.setArray(20, SqlArrays.longs(connection, recalls, Map.Entry::getValue));
      submit.setArray(21, SqlArrays.of(connection, "text", spec.images(), BlobName::toString));
      try (ResultSet row = submit.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("the store returned no result of the submission");
        }
        return answer(row, spec);
      }
    }
  }

  private static SubmitAnswer answer(ResultSet row, JobSpec spec) throws SQLException {
    String answer = row.getString("answer");
    return switch (answer) {
      case "made" -> new SubmitAnswer.Created();
      case "conflict" -> new SubmitAnswer.Conflict();
      case "replay" -> {
        UUID job = row.getObject("job_id", UUID.class);
        // The result of an earlier attempt was lost, and the same submission was sent again.
        yield job.equals(spec.id().value())
            ? new SubmitAnswer.Created()
            : new SubmitAnswer.Replay(new JobId(job));
      }
      case "short" -> shortages(row);
      default -> throw new SQLException("unexpected result of the store: " + answer);
    };
  }

  /** A shortage is final only if no recall can cover it. */
  private static SubmitAnswer shortages(ResultSet row) throws SQLException {
    List<Shortage> shortages = new ArrayList<>();
    Map<String, Long> recalls = new HashMap<>();
    do {
      String id = row.getString("scope_id");
      if (row.getBoolean("awaits")) {
        recalls.put(id, row.getLong("recall"));
      } else {
        shortages.add(shortage(row, Scope.ofId(id)));
      }
    } while (row.next());
    return shortages.isEmpty()
        ? new SubmitAnswer.AwaitsRecalls(recalls)
        : new SubmitAnswer.InsufficientBudget(shortages);
  }

  private static Shortage shortage(ResultSet row, Scope scope) throws SQLException {
    return new Shortage(
        scope,
        new MicroUsd(row.getLong("limit_micro")),
        new MicroUsd(row.getLong("used_micro")),
        new MicroUsd(row.getLong("leased_micro")),
        false);
  }

  /**
   * Cancels a job, or requests that if a provider may have the job.
   *
   * @param org null means any organization
   */
  Outcome cancel(@Nullable OrgId org, @Nullable JobKind kind, JobId id) throws SQLException {
    return outcome("SELECT job_cancel(?::uuid, ?, ?)", org, kind, id);
  }

  /** Removes a job that has ended. */
  Outcome remove(@Nullable OrgId org, @Nullable JobKind kind, JobId id) throws SQLException {
    return outcome("SELECT job_remove(?::uuid, ?, ?)", org, kind, id);
  }

  private Outcome outcome(String sql, @Nullable OrgId org, @Nullable JobKind kind, JobId id)
      throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement call = connection.prepareStatement(sql)) {
      call.setObject(1, org == null ? null : org.value());
      call.setString(2, kind == null ? null : kind.wire());
      call.setObject(3, id.value());
      try (ResultSet row = call.executeQuery()) {
        row.next();
        return Outcome.valueOf(row.getString(1).toUpperCase(Locale.ROOT));
      }
    }
  }

  /** Withdraws the request to cancel a job; true if there was one and the job has not ended. */
  boolean withdraw(@Nullable OrgId org, JobId id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement call =
            connection.prepareStatement("SELECT job_cancel_withdrawn(?::uuid, ?)")) {
      call.setObject(1, org == null ? null : org.value());
      call.setObject(2, id.value());
      try (ResultSet row = call.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  /** True while a request to cancel the job is pending. */
  boolean isCancelAsked(JobId id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT cancel_asked FROM media_job WHERE id = ?")) {
      select.setObject(1, id.value());
      try (ResultSet row = select.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }
}
