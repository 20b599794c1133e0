package dev.tollgate.core.webhook;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * An event whose turn has come, under a lease of whoever took it.
 *
 * @param id the same at each attempt
 * @param event {@code job.completed} or {@code job.failed}
 * @param request what submitted the job
 * @param lease under which it was taken; no event has one of them twice
 * @param attempt the number of this attempt, the first being 1
 * @param age when it was taken, since it was due; for a first attempt, since the job ended
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
