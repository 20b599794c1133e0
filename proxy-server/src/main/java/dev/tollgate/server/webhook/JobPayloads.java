package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import java.util.Optional;

/** Port to the jobs as the API shows them. */
public interface JobPayloads {
  /**
   * The job of an event as a JSON object, with URLs of its artifacts that were signed just now;
   * empty where it was removed. Blocks.
   */
  Optional<byte[]> of(ClaimedEvent event) throws OutboxException;
}
