package dev.tollgate.server.webhook;

import dev.tollgate.core.fetch.Posted;
import dev.tollgate.core.webhook.Announcement;
import java.time.Duration;

/** Port to receivers. */
public interface Wire {
  /** Sends an announcement and waits for what comes of it, at most a little longer than told. */
  Posted post(String url, Announcement announcement, Duration within) throws InterruptedException;
}
