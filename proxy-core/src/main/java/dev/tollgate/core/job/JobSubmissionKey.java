package dev.tollgate.core.job;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.IdempotencyKey;

/**
 * What makes two submissions the same one.
 *
 * @param body what tells it from another under the same key
 */
public record JobSubmissionKey(
    OrgId org, String endpoint, IdempotencyKey idempotencyKey, BodyFingerprint body) {}
