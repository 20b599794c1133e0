package dev.tollgate.core.http;

/**
 * A final response's status and fields; interim responses never get here.
 *
 * @param keepAlive whether the connection may serve another request after the body's end
 */
public record ResponseHead(int status, Headers headers, BodyLength body, boolean keepAlive) {}
