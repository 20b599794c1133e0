package dev.tollgate.server.control.route;

import org.jspecify.annotations.Nullable;

/**
 * What handlers may need of a request's head.
 *
 * @param expectedVersion version in If-Match; null if the caller sent none
 * @param session value of the session cookie; null without one, and with a bearer token
 * @param acceptsGzip true if the client can read compressed content
 */
public record RequestMeta(
    @Nullable Integer expectedVersion, @Nullable String session, boolean acceptsGzip) {}
