package dev.tollgate.core.job;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Video or music generation job as stored: its request, state, cost and artifacts
 * (docs/decisions/jobs.md#object).
 *
 * @param request the submission
 * @param progress in percent; null if the provider does not report it
 * @param estimated the amount that is reserved for the job
 * @param max the largest amount that may be reserved
 * @param cost zero until the job ends
 * @param failure null unless the job failed
 * @param params the request, a JSON object
 * @param webhookUrl null means no webhook
 * @param metadata a JSON object of strings
 * @param startedAt time at which the provider began; null before that
 * @param completedAt null until the job ends
 * @param artifacts empty unless the job succeeded
 */
public record Job(
    JobId id,
    RequestId request,
    OrgId org,
    KeyId key,
    JobKind kind,
    String model,
    String provider,
    JobStatus status,
    @Nullable Integer progress,
    MicroUsd estimated,
    MicroUsd max,
    MicroUsd cost,
    @Nullable JobFailure failure,
    JsonBytes params,
    @Nullable String webhookUrl,
    JsonBytes metadata,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    Instant expiresAt,
    List<JobArtifact> artifacts) {

  public Job {
    artifacts = List.copyOf(artifacts);
  }
}
