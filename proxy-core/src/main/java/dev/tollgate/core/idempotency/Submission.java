package dev.tollgate.core.idempotency;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;

/**
 * Request with an idempotency key as it is claimed in the store, with the replies to store in place
 * of a lost or too large one.
 *
 * @param endpoint the request's path: the same key at another path is another submission
 * @param request the request that claims the submission
 * @param ifLost reply that is stored and sent if an earlier request was dispatched to a provider
 *     and its outcome is lost
 * @param ifNotKept reply that is stored and sent in place of one for which the organization has no
 *     space
 */
public record Submission(
    OrgId org,
    String endpoint,
    IdempotencyKey key,
    BodyFingerprint body,
    RequestId request,
    StoredReply ifLost,
    StoredReply ifNotKept) {}
