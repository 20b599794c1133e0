package dev.tollgate.core.http;

/**
 * Limits of one head; lines count with their CRLF.
 *
 * @param startLineBytesMax 0 for a trailer section, which has no start line
 * @param headBytesMax everything including the empty line
 * @param leadingBlankLinesMax empty lines that are skipped before the start line
 */
record HeadLimits(
    int startLineBytesMax, int headBytesMax, int fieldsMax, int leadingBlankLinesMax) {}
