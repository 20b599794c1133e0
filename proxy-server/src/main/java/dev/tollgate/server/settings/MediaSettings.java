package dev.tollgate.server.settings;

import dev.tollgate.server.settings.shape.Key;
import java.math.BigDecimal;
import java.time.Duration;

/** Section {@code media}: video and music jobs. */
public record MediaSettings(
    @Key(about = "whether the mock provider serves video and music", initial = "false")
        boolean mockProvider,
    @Key(about = "time after which an unfinished job expires", initial = "24h", min = "1s")
        Duration jobTtl,
    @Key(about = "time for which artifacts are kept", initial = "7d", min = "1s")
        Duration artifactRetention,
    @Key(
            about = "reserved amount as a multiple of the estimate",
            initial = "'1.5'",
            min = "1",
            max = "10")
        BigDecimal reservationFactor,
    @Key(about = "jobs that are worked on at the same time", initial = "4", min = "1")
        int workers) {}
