package dev.tollgate.server.postgres.jobs;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.storage.BlobName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Mapper from rows of {@code media_job} and {@code media_artifact} to jobs and their artifacts. */
final class JobRowMapper {
  private JobRowMapper() {}

  static Job of(ResultSet row, List<JobArtifact> artifacts) throws SQLException {
    return new Job(
        new JobId(row.getObject("id", UUID.class)),
        new RequestId(row.getString("request_id")),
        new OrgId(row.getObject("org_id", UUID.class)),
        new KeyId(row.getString("key_id")),
        require(JobKind.parse(row.getString("kind"))),
        row.getString("model"),
        row.getString("provider"),
        require(JobStatus.parse(row.getString("status"))),
        row.getObject("progress", Integer.class),
        new MicroUsd(row.getLong("estimated_cost_micro")),
        new MicroUsd(row.getLong("max_cost_micro")),
        new MicroUsd(row.getLong("cost_micro")),
        failure(row),
        JsonBytes.raw(row.getString("params")),
        row.getString("webhook_url"),
        JsonBytes.raw(row.getString("metadata")),
        require(time(row, "created_at")),
        time(row, "started_at").orElse(null),
        time(row, "completed_at").orElse(null),
        require(time(row, "expires_at")),
        artifacts);
  }

  static JobArtifact artifact(ResultSet row) throws SQLException {
    Integer width = row.getObject("width", Integer.class);
    Integer height = row.getObject("height", Integer.class);
    return new JobArtifact(
        row.getObject("id", UUID.class),
        require(JobArtifact.Type.parse(row.getString("type"))),
        row.getString("content_type"),
        require(BlobName.parse(row.getString("blob_key"))),
        row.getLong("size_bytes"),
        width == null || height == null ? Optional.empty() : Optional.of(new Frame(width, height)),
        row.getDouble("duration_seconds"));
  }

  private static @Nullable JobFailure failure(ResultSet row) throws SQLException {
    String code = row.getString("error_code");
    String message = row.getString("error_message");
    return code == null ? null : new JobFailure(code, message == null ? "" : message);
  }

  private static Optional<Instant> time(ResultSet row, String column) throws SQLException {
    return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  private static <T> T require(Optional<T> value) throws SQLException {
    return value.orElseThrow(
        () -> new SQLException("a job's row has a value that this version does not know"));
  }
}
