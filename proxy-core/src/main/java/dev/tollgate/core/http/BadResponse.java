package dev.tollgate.core.http;

/**
 * Message that {@link ResponseDecoder} fires in place of an invalid response, or of the rest of its
 * body. The connection must close: all further input is dropped.
 *
 * @param reason short description of the error, without any byte of the peer
 */
public record BadResponse(String reason) {}
