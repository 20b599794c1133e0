package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;

/** Fault that the client of a broken stream gets as its last event, and the form of that event. */
public record BrokenStream(Fault fault, ErrorForm form) {
  /** Returns the fault of a request whose stream was not opened: the fault is its reply. */
  public static BrokenStream unopened(Fault fault) {
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }
}
