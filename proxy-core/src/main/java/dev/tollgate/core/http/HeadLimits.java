package dev.tollgate.core.http;

/**
 * Size limits of one HTTP head (start line and fields) or trailer section; line sizes include the
 * CRLF.
 *
 * @param startLineBytesMax 0 for a trailer section, which has no start line
 * @param headBytesMax size of everything including the empty line
 * @param leadingBlankLinesMax number of empty lines that are skipped before the start line
 */
record HeadLimits(
    int startLineBytesMax, int headBytesMax, int fieldsMax, int leadingBlankLinesMax) {}
