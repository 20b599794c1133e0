package dev.tollgate.core.storage;

import java.time.Instant;

/**
 * A URL that lets whoever has it fetch one blob.
 *
 * @param expiresAt when it stops to
 */
public record SignedUrl(String url, Instant expiresAt) {}
