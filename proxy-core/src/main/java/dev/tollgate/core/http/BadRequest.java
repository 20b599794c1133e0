package dev.tollgate.core.http;

import dev.tollgate.core.fault.Fault;

/**
 * Message that {@link RequestDecoder} fires in place of an invalid request, or of the rest of its
 * body. The connection must close after {@code fault} was sent: all further input is dropped.
 *
 * @param read the fields of the head before what is invalid; none in a body
 */
public record BadRequest(Fault fault, Headers read) {}
