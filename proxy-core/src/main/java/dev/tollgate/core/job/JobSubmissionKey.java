package dev.tollgate.core.job;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.idempotency.BodyFingerprint;
import dev.tollgate.core.idempotency.IdempotencyKey;

/**
 * Organization, endpoint, idempotency key and body fingerprint by which a repeated job submission
 * is recognized.
 *
 * @param body fingerprint that distinguishes other submissions with the same key
 */
public record JobSubmissionKey(
    OrgId org, String endpoint, IdempotencyKey idempotencyKey, BodyFingerprint body) {}
