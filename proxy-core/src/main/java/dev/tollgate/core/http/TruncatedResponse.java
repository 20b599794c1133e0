package dev.tollgate.core.http;

/**
 * Message at a clean end of the connection (FIN) before the response's end. A reset is an exception
 * instead.
 *
 * @param headSeen true if the {@link ResponseHead} was complete
 */
public record TruncatedResponse(boolean headSeen) {}
