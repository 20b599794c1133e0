package dev.tollgate.core.storage;

import java.time.Instant;

/**
 * URL with a signature that lets its holder download one stored blob until the URL expires.
 *
 * @param expiresAt when the URL becomes invalid
 */
public record SignedUrl(String url, Instant expiresAt) {}
