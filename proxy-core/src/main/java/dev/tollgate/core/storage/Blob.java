package dev.tollgate.core.storage;

import dev.tollgate.core.id.OrgId;
import io.netty.buffer.ByteBuf;
import java.time.Duration;

/**
 * Output bytes to store for an organization, with their content type and retention.
 *
 * @param retention minimum time for which the blob is kept; an expired blob is deleted within a day
 */
public record Blob(OrgId org, BlobType type, Duration retention, ByteBuf bytes) {}
