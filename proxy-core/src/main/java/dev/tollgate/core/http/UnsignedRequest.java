package dev.tollgate.core.http;

import java.time.Instant;

/**
 * A request that is ready but for the fields that say who calls.
 *
 * @param target as it is sent
 * @param host as the field of that name has it
 * @param contentType of the body; empty: there is none
 * @param body the hash of it
 * @param now of a signature
 */
public record UnsignedRequest(
    String method, String target, String host, String contentType, BodySha256 body, Instant now) {}
