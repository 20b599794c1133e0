package dev.tollgate.core.http;

/**
 * Message that {@link ResponseDecoder} fires if the upstream server closes the connection cleanly
 * (FIN) before the response's end. A reset is an exception instead.
 *
 * @param headSeen true if the {@link ResponseHead} was complete
 */
public record TruncatedResponse(boolean headSeen) {}
