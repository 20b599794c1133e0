package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
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
    @Key(
            about = "jobs that a node works on at the same time",
            initial = "4",
            min = "1",
            max = "256")
        int workers,
    @Key(
            about = "time without a sign of life after which another worker takes up a job",
            initial = "30s",
            min = "1s",
            max = "10m")
        Duration lease,
    @Key(
            name = "max_open_jobs",
            about = "jobs of all nodes that one provider has at the same time; others wait",
            initial = "1000",
            min = "1",
            max = "100000")
        int openJobsMax,
    @Key(
            name = "max_artifact_bytes",
            about = "the largest file of a job",
            initial = "512MiB",
            min = "1KiB",
            max = "2047MiB",
            bytes = true)
        int artifactBytesMax,
    @Key(
            name = "max_spool_bytes",
            about = "files on their way to the object storage together; further ones wait",
            initial = "2GiB",
            min = "1KiB",
            bytes = true)
        long spoolBytesMax) {}
