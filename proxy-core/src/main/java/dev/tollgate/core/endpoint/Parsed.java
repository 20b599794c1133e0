package dev.tollgate.core.endpoint;

import dev.tollgate.core.fault.Fault;

/** What reading a request's body brought. */
public sealed interface Parsed<R extends InferenceRequest> {
  record Valid<R extends InferenceRequest>(R request) implements Parsed<R> {}

  record Refused<R extends InferenceRequest>(Fault fault) implements Parsed<R> {}
}
