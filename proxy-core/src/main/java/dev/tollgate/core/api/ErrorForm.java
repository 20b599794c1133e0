package dev.tollgate.core.api;

/** Form of the error event that ends an opened stream. */
public sealed interface ErrorForm {
  /** The error envelope that all other replies have. */
  record Envelope() implements ErrorForm {}

  /** The envelope as an event of the Responses API, which has a type and a sequence number. */
  record Event(long sequenceNumber) implements ErrorForm {}
}
