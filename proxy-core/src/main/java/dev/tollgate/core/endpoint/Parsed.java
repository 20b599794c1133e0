package dev.tollgate.core.endpoint;

import dev.tollgate.core.fault.Fault;

/** What reading a request's body brought. */
public sealed interface Parsed<R> {
  record Valid<R>(R request) implements Parsed<R> {}

  record Refused<R>(Fault fault) implements Parsed<R> {}
}
