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
 * A video or a piece of music that somebody asked for, as the store has it
 * (docs/decisions/jobs.md#object).
 *
 * @param request the submission
 * @param progress in percent; null where the provider does not say
 * @param estimated what was reserved
 * @param max above which nothing was to be reserved
 * @param cost zero until it ended
 * @param failure null unless it failed
 * @param params what was asked for, an object
 * @param webhookUrl null: nobody wants to be told
 * @param metadata an object of strings
 * @param startedAt when the provider began; null: not yet
 * @param completedAt null: not yet
 * @param artifacts none unless it succeeded
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
