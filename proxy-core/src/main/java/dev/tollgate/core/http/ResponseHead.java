package dev.tollgate.core.http;

/**
 * Message with the status and fields of an upstream server's final response; interim responses are
 * dropped.
 *
 * @param keepAlive true if the connection may serve another request after the body's end
 */
public record ResponseHead(int status, Headers headers, BodyLength body, boolean keepAlive) {}
