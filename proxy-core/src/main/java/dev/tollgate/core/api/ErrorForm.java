package dev.tollgate.core.api;

/** The form that an error has as the last event of an opened stream. */
public sealed interface ErrorForm {
  /** The envelope, as everywhere. */
  record Envelope() implements ErrorForm {}

  /** The envelope as an event of the Responses API, which has a type and a number. */
  record Event(long sequenceNumber) implements ErrorForm {}
}
