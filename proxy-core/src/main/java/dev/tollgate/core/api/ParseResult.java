package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;

/** What reading a request's body brought. */
public sealed interface ParseResult<R> {
  record Valid<R>(R request) implements ParseResult<R> {}

  record Refused<R>(Fault fault) implements ParseResult<R> {}
}
