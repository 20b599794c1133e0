package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Section {@code redis}: where the nodes of a fleet share their limits. */
public record RedisSettings(
    @Key(
            about =
                "redis://, rediss:// or redis-sentinel://…#master, kept secret; null: limits per process")
        @Nullable Secret url,
    @Key(about = "time that a request waits for it", initial = "50ms", min = "1ms")
        Duration timeout) {}
