package dev.tollgate.core.job;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.IdempotencyKey;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.storage.BlobName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A valid submission: what a job is made of.
 *
 * @param id the job's, if it becomes one
 * @param body what tells it from another under the same key
 * @param reserved what is held for it
 * @param max above which nothing may be held
 * @param images that came along, by their names in our storage
 * @param webhookUrl null: nobody wants to be told
 */
public record JobSpec(
    JobId id,
    OrgId org,
    KeyId key,
    RequestId request,
    String endpoint,
    IdempotencyKey idempotencyKey,
    BodyFingerprint body,
    JobKind kind,
    String model,
    String provider,
    MicroUsd reserved,
    MicroUsd max,
    JsonBytes params,
    List<BlobName> images,
    @Nullable String webhookUrl,
    JsonBytes metadata) {

  public JobSpec {
    images = List.copyOf(images);
  }

  /** What makes another submission the same one. */
  public JobSubmissionKey submissionKey() {
    return new JobSubmissionKey(org, endpoint, idempotencyKey, body);
  }
}
