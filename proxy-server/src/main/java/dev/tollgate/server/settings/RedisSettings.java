package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configuration section {@code redis}: the Redis server that counts limits for all nodes. */
public record RedisSettings(
    @Key(
            about =
                "secret URL redis://, rediss:// or redis-sentinel://…#master; null: limits"
                    + " per node")
        @Nullable Secret url,
    @Key(about = "longest wait of a request for Redis", initial = "50ms", min = "1ms")
        Duration timeout) {}
