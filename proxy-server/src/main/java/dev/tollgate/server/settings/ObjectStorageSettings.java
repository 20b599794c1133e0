package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.HttpUrl;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code object_storage}: a directory or S3 bucket for generated images and
 * job artifacts.
 */
public record ObjectStorageSettings(
    @Key(about = "directory; relative to the folder of this file") @Nullable Path directory,
    @Key(about = "S3 endpoint, instead of a directory") @Nullable HttpUrl endpoint,
    @Key(
            about = "S3 bucket",
            pattern = "[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
            expects = "a bucket's name: 3 to 63 of a-z, 0-9, . and -")
        @Nullable String bucket,
    @Key(about = "S3 region", initial = "us-east-1", pattern = "[a-z0-9-]+", expects = "a region")
        String region,
    @Key(about = "S3 access key") @Nullable Secret accessKey,
    @Key(about = "S3 secret key") @Nullable Secret secretKey,
    @Key(about = "whether the bucket is in the path instead of the host name", initial = "false")
        boolean pathStyle,
    @Key(about = "lifetime of a signed URL", initial = "1h", min = "1s", max = "1h")
        Duration urlTtl,
    @Key(
            about = "shortest time that images are kept; expired images are deleted within a day",
            initial = "2d",
            min = "25h")
        Duration imageRetention,
    @Key(about = "time limit to store the outputs of one reply", initial = "20s", min = "1s")
        Duration timeout) {}
