package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;

/**
 * Fault that a client gets as the last event of a stream that failed, and the form of that event.
 */
public record BrokenStream(Fault fault, ErrorForm form) {
  /** Returns the fault of a request whose stream was not opened: the fault is its reply. */
  public static BrokenStream unopened(Fault fault) {
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }
}
