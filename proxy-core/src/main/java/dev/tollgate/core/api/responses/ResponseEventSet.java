package dev.tollgate.core.api.responses;

/**
 * Set of event types that a client gets in a stream of the Responses API
 * (docs/decisions/responses.md#events).
 */
public enum ResponseEventSet {
  /**
   * The stream has the events created, text delta and completed, which suffice for simple clients.
   */
  LISTED,
  /** The stream also has OpenAI's events about items and arguments. */
  EXTENDED
}
