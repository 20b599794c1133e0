package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import java.math.BigDecimal;
import java.time.Duration;

/**
 * Configuration section {@code media}: execution and limits of asynchronous video and music jobs.
 */
public record MediaSettings(
    @Key(about = "whether the mock provider serves video and music", initial = "false")
        boolean mockProvider,
    @Key(about = "time after which an unfinished job expires", initial = "24h", min = "1s")
        Duration jobTtl,
    @Key(about = "time for which artifacts are kept", initial = "7d", min = "1s")
        Duration artifactRetention,
    @Key(about = "factor of the estimate to reserve", initial = "'1.5'", min = "1", max = "10")
        BigDecimal reservationFactor,
    @Key(about = "jobs that a node runs at the same time", initial = "4", min = "1", max = "256")
        int workers,
    @Key(
            about = "time without a heartbeat after which another worker takes over a job",
            initial = "30s",
            min = "1s",
            max = "10m")
        Duration lease,
    @Key(
            name = "max_open_jobs",
            about = "limit of open jobs at one provider, over all nodes; further ones wait",
            initial = "1000",
            min = "1",
            max = "100000")
        int openJobsMax,
    @Key(
            name = "max_artifact_bytes",
            about = "size limit of a file; a larger one fails the job",
            initial = "512MiB",
            min = "1KiB",
            max = "2047MiB",
            bytes = true)
        int artifactBytesMax,
    @Key(
            name = "max_spool_bytes",
            about = "size limit of all files on their way to the object storage; further ones wait",
            initial = "2GiB",
            min = "1KiB",
            bytes = true)
        long spoolBytesMax) {}
