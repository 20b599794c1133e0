package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.util.List;

/**
 * A request that is ready but for the fields that say who calls.
 *
 * @param target as it is sent
 * @param host as the field of that name has it
 * @param contentType of the body; empty: there is none
 * @param body stays the caller's, and as it is
 * @param now of a signature
 */
public record Unsigned(
    String method,
    String target,
    String host,
    String contentType,
    List<ByteBuf> body,
    Instant now) {}
