package dev.tollgate.core.http;

import java.time.Instant;

/**
 * Complete upstream HTTP request except for the fields that authenticate the gateway, as input of a
 * signature.
 *
 * @param target as sent
 * @param host value of the {@code host} field
 * @param contentType of the body; empty means none
 * @param body hash of the body
 * @param now time of a signature
 */
public record UnsignedRequest(
    String method, String target, String host, String contentType, BodySha256 body, Instant now) {}
