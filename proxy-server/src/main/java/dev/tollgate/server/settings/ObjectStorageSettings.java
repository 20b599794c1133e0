package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.shape.Key;
import dev.tollgate.server.settings.value.HttpUrl;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Section {@code object_storage}: a directory, or an S3 endpoint, for images and artifacts. */
public record ObjectStorageSettings(
    @Key(about = "folder; starts at this file's folder") @Nullable Path directory,
    @Key(about = "S3 endpoint, instead of a directory") @Nullable HttpUrl endpoint,
    @Key(about = "S3 bucket") @Nullable String bucket,
    @Key(about = "S3 region") @Nullable String region,
    @Key(about = "S3 access key") @Nullable Secret accessKey,
    @Key(about = "S3 secret key") @Nullable Secret secretKey,
    @Key(about = "whether the bucket is in the path instead of the host name", initial = "false")
        boolean pathStyle,
    @Key(about = "life of a signed URL", initial = "1h", min = "1s") Duration urlTtl) {}
