package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import java.util.Optional;

/** Port to the payloads of webhook events: jobs as JSON objects, as the API shows them. */
public interface JobPayloads {
  /**
   * Returns the job of an event as a JSON object, with freshly signed URLs of its artifacts; empty
   * if the job was removed. The call blocks.
   */
  Optional<byte[]> of(ClaimedEvent event) throws OutboxException;
}
