package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import java.time.Duration;
import java.util.List;

/**
 * Configuration section {@code webhooks}: timeout and retry schedule of notices about finished
 * jobs.
 */
public record WebhookSettings(
    @Key(about = "time limit of one delivery", initial = "10s", min = "1ms") Duration timeout,
    @Key(
            about = "waits before the attempts, one entry per attempt",
            initial = "[0s, 5s, 30s, 2m, 10m, 30m, 2h, 5h]",
            min = "1")
        List<Duration> schedule) {}
