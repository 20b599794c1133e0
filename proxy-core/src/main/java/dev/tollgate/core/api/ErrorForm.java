package dev.tollgate.core.api;

/**
 * Form of the error event that ends a stream after its first bytes were sent: the error envelope,
 * or a Responses API event.
 */
public sealed interface ErrorForm {
  /** The event contains the error envelope that error replies have. */
  record Envelope() implements ErrorForm {}

  /**
   * The event is the envelope in the form of a Responses API event, which has a type and a sequence
   * number.
   */
  record Event(long sequenceNumber) implements ErrorForm {}
}
