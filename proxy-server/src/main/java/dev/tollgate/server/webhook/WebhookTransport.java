package dev.tollgate.server.webhook;

import dev.tollgate.core.egress.PostResult;
import dev.tollgate.core.webhook.WebhookRequest;
import java.time.Duration;

/** Port to receivers. */
public interface WebhookTransport {
  /** Sends an announcement and waits for what comes of it, at most a little longer than told. */
  PostResult post(String url, WebhookRequest announcement, Duration within)
      throws InterruptedException;
}
