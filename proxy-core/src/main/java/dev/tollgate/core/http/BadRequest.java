package dev.tollgate.core.http;

import dev.tollgate.core.fault.Fault;

/**
 * The message in place of a request, or of the rest of its body, that broke the rules. The
 * connection must close after {@code fault} was answered: all further input is dropped.
 */
public record BadRequest(Fault fault) {}
