package dev.tollgate.core.webhook;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Due webhook event that a node has claimed for delivery under a lease.
 *
 * @param id the same at each attempt
 * @param event {@code job.completed} or {@code job.failed}
 * @param request the request that submitted the job
 * @param lease the lease of this claim; no two claims of an event have the same
 * @param attempt the number of this attempt, the first being 1
 * @param age at the claim, since the event was due; for a first attempt, since the job ended
 * @param secrets the newest first, at least one
 */
public record ClaimedEvent(
    UUID id,
    OrgId org,
    UUID job,
    String event,
    String url,
    RequestId request,
    int lease,
    int attempt,
    Duration age,
    List<WebhookSecret> secrets) {
  public ClaimedEvent {
    secrets = List.copyOf(secrets);
  }
}
