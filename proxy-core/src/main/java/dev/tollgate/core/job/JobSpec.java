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
 * Validated submission of a media job, from which the job is created.
 *
 * @param id the id of the job, if one is created
 * @param body fingerprint that distinguishes other submissions with the same key
 * @param reserved the amount to reserve
 * @param max the largest amount that may be reserved
 * @param images the uploaded images, by their names in the gateway's storage
 * @param webhookUrl null means no webhook
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

  /** Returns the key by which a repeated submission is recognized. */
  public JobSubmissionKey submissionKey() {
    return new JobSubmissionKey(org, endpoint, idempotencyKey, body);
  }
}
