package dev.tollgate.core.idempotency;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;

/**
 * A request that carries a key.
 *
 * @param endpoint its path: the same key at another is another submission
 * @param request who wants to carry it out
 * @param ifLost what is stored and answered where this one finds that an earlier one was handed to
 *     a provider and never heard of again
 * @param ifNotKept the same in place of a reply for which the organization has no room
 */
public record Submission(
    OrgId org,
    String endpoint,
    IdempotencyKey key,
    BodyFingerprint body,
    RequestId request,
    StoredReply ifLost,
    StoredReply ifNotKept) {}
