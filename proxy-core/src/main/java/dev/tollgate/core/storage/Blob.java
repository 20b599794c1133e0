package dev.tollgate.core.storage;

import dev.tollgate.core.id.OrgId;
import io.netty.buffer.ByteBuf;
import java.time.Duration;

/**
 * Bytes to store for an organization.
 *
 * @param retention the minimum; an expired blob is deleted within a day
 */
public record Blob(OrgId org, BlobType type, Duration retention, ByteBuf bytes) {}
