package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;

/** What the client of a stream that broke off is told last, and in which form. */
public record BrokenStream(Fault fault, ErrorForm form) {
  /** A request whose stream was not opened: the fault is its reply. */
  public static BrokenStream unopened(Fault fault) {
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }
}
