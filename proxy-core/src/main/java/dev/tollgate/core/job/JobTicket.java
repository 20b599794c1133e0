package dev.tollgate.core.job;

import dev.tollgate.core.claim.BodyIdentity;
import dev.tollgate.core.claim.IdempotencyKey;
import dev.tollgate.core.id.OrgId;

/**
 * What makes two submissions the same one.
 *
 * @param body what tells it from another under the same key
 */
public record JobTicket(
    OrgId org, String endpoint, IdempotencyKey idempotencyKey, BodyIdentity body) {}
