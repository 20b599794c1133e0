package dev.tollgate.core.http;

/**
 * The message at a clean end of the connection (FIN) before the response's end. A reset is an
 * exception instead.
 *
 * @param headSeen whether the {@link ResponseHead} had come
 */
public record TruncatedResponse(boolean headSeen) {}
