package dev.tollgate.server.webhook;

import dev.tollgate.core.egress.PostResult;
import dev.tollgate.core.webhook.WebhookRequest;
import java.time.Duration;

/** Port through which webhook requests are posted to their receivers. */
public interface WebhookTransport {
  /** Sends a webhook and waits for the result, at most slightly longer than {@code within}. */
  PostResult post(String url, WebhookRequest announcement, Duration within)
      throws InterruptedException;
}
