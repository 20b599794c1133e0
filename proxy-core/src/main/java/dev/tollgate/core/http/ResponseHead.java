package dev.tollgate.core.http;

/**
 * A final response's status and fields; interim responses are dropped before.
 *
 * @param keepAlive true if the connection may serve another request after the body's end
 */
public record ResponseHead(int status, Headers headers, BodyLength body, boolean keepAlive) {}
