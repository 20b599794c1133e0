package dev.tollgate.core.job;

import dev.tollgate.core.claim.BodyFingerprint;
import dev.tollgate.core.claim.IdempotencyKey;
import dev.tollgate.core.id.OrgId;

/**
 * What makes two submissions the same one.
 *
 * @param body what tells it from another under the same key
 */
public record JobSubmissionKey(
    OrgId org, String endpoint, IdempotencyKey idempotencyKey, BodyFingerprint body) {}
