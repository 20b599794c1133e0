package dev.tollgate.core.http;

/**
 * The message in place of a response, or of the rest of its body, that broke the rules. The
 * connection must close: all further input is dropped.
 *
 * @param reason what was wrong, in a few words without any byte of the peer
 */
public record BadResponse(String reason) {}
