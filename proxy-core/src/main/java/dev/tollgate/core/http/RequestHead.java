package dev.tollgate.core.http;

/**
 * Message with a client request's line and fields, strictly checked: exactly one Host on 1.1,
 * Content-Length or chunked but not both. Fields whose duplicates are an attack occur once.
 *
 * @param path the target's path as sent, never decoded; absolute-form is reduced to its path
 * @param query the part after the first {@code ?}, or empty
 * @param minorVersion 0 or 1
 * @param keepAlive true if the client allows the connection to stay open
 * @param expectsContinue true if the client waits for {@code 100 Continue}
 */
public record RequestHead(
    String method,
    String path,
    String query,
    int minorVersion,
    Headers headers,
    BodyLength body,
    boolean keepAlive,
    boolean expectsContinue) {}
