package dev.tollgate.core.storage;

import java.time.Instant;

/**
 * URL that lets its holder fetch one blob.
 *
 * @param expiresAt when the URL becomes invalid
 */
public record SignedUrl(String url, Instant expiresAt) {}
