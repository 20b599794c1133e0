package dev.tollgate.server.postgres.jobs;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Queries of media jobs in PostgreSQL for the API, webhooks and the CLI, and the CLI's cancellation
 * of jobs. Calls block.
 */
public final class JobViews {
  private static final String BY_ID =
      "SELECT * FROM media_job WHERE id = ? AND (?::uuid IS NULL OR org_id = ?::uuid)";

  private static final String LISTED =
      """
      SELECT * FROM media_job
       WHERE removed_at IS NULL AND (?::uuid IS NULL OR org_id = ?::uuid)
         AND (?::text IS NULL OR status = ?)
       ORDER BY created_at DESC, id LIMIT ?
      """;

  /** Counts unfinished jobs by status; LIMIT bounds the cost of the count. */
  private static final String OPEN =
      """
      SELECT status, count(*)
        FROM (SELECT status FROM media_job
               WHERE completed_at IS NULL AND next_look_at < 'infinity' LIMIT ?) j
       GROUP BY status
      """;

  private static final String ARTIFACTS =
      "SELECT * FROM media_artifact WHERE job_id = ? ORDER BY blob_key, id";

  private final DataSource source;

  public JobViews(DataSource source) {
    this.source = source;
  }

  /** Returns a job of an organization; null means any organization. */
  public Optional<Job> find(@Nullable OrgId org, JobId id) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return findOne(connection, BY_ID + " AND removed_at IS NULL", org, id);
    }
  }

  /** Returns a job of an organization, also a removed one while its row is kept. */
  Optional<Job> findIncludingRemoved(OrgId org, JobId id) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return findOne(connection, BY_ID, org, id);
    }
  }

  private static Optional<Job> findOne(
      Connection connection, String sql, @Nullable OrgId org, JobId id) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setObject(1, id.value());
      select.setObject(2, org == null ? null : org.value());
      select.setObject(3, org == null ? null : org.value());
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? Optional.of(JobRowMapper.of(row, artifacts(connection, row, id)))
            : Optional.empty();
      }
    }
  }

  /** Returns the artifacts of a succeeded job; other jobs have none. */
  private static List<JobArtifact> artifacts(Connection connection, ResultSet job, JobId id)
      throws SQLException {
    List<JobArtifact> all = new ArrayList<>();
    if (job.getString("status").equals(JobStatus.SUCCEEDED.wire())) {
      try (PreparedStatement select = connection.prepareStatement(ARTIFACTS)) {
        select.setObject(1, id.value());
        try (ResultSet row = select.executeQuery()) {
          while (row.next()) {
            all.add(JobRowMapper.artifact(row));
          }
        }
      }
    }
    return all;
  }

  /** Returns the unfinished jobs by status, counted up to {@code rowsMax}. */
  Map<JobStatus, Long> open(int rowsMax) throws SQLException {
    Map<JobStatus, Long> open = new EnumMap<>(JobStatus.class);
    for (JobStatus each : JobStatus.values()) {
      if (!each.isTerminal()) {
        open.put(each, 0L);
      }
    }
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(OPEN)) {
      select.setInt(1, rowsMax);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          open.put(JobStatus.valueOf(row.getString(1).toUpperCase(Locale.ROOT)), row.getLong(2));
        }
      }
    }
    return open;
  }

  /** Result of canceling a job. */
  public enum CancelResult {
    CANCELED,
    /** The provider may have the job and is asked to cancel it. */
    REQUESTED,
    ALREADY_ENDED,
    NOT_FOUND
  }

  /** Cancels a job of any organization. */
  public CancelResult cancel(JobId id) throws SQLException {
    var submissions = new JobSubmissions(source, Duration.ZERO, Duration.ZERO);
    return switch (submissions.cancel(null, null, id)) {
      case CANCELED -> CancelResult.CANCELED;
      case ASKED -> CancelResult.REQUESTED;
      case OVER, OPEN, REMOVED -> CancelResult.ALREADY_ENDED;
      case UNKNOWN -> CancelResult.NOT_FOUND;
    };
  }

  /**
   * Returns the newest jobs, without their artifacts.
   *
   * @param org null means any organization
   * @param status null means any status
   */
  public List<Job> list(@Nullable OrgId org, @Nullable JobStatus status, int rowsMax)
      throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(LISTED)) {
      select.setObject(1, org == null ? null : org.value());
      select.setObject(2, org == null ? null : org.value());
      select.setString(3, status == null ? null : status.wire());
      select.setString(4, status == null ? null : status.wire());
      select.setInt(5, rowsMax);
      List<Job> jobs = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          jobs.add(JobRowMapper.of(row, List.of()));
        }
      }
      return jobs;
    }
  }
}
