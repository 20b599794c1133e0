package dev.tollgate.core.job;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.IdempotencyKey;

/**
 * Key by which a repeated submission is recognized.
 *
 * @param body fingerprint that distinguishes other submissions with the same key
 */
public record JobSubmissionKey(
    OrgId org, String endpoint, IdempotencyKey idempotencyKey, BodyFingerprint body) {}
