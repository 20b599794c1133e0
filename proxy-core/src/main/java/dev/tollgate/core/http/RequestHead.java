package dev.tollgate.core.http;

/**
 * A request's line and fields, already strict: exactly one Host on 1.1, Content-Length xor chunked,
 * single-valued where duplicates are an attack.
 *
 * @param path the target's path as sent, never decoded; absolute-form is reduced to its path
 * @param query what stands behind the first {@code ?}, or empty
 * @param minorVersion 0 or 1
 * @param keepAlive whether the client lets the connection live on
 * @param expectsContinue whether it waits for {@code 100 Continue}
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
