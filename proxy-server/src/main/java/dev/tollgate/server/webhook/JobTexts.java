package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.Due;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import java.util.Optional;

/** Port to the jobs as the API shows them. */
public interface JobTexts {
  /**
   * The job of an event as a JSON object, with URLs of its artifacts that were signed just now;
   * empty where it was removed. Blocks.
   */
  Optional<byte[]> of(Due due) throws OutboxException;
}
