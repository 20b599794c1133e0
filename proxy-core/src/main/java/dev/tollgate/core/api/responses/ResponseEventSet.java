package dev.tollgate.core.api.responses;

/** Sets of events in a stream of the Responses API (docs/decisions/responses.md#events). */
public enum ResponseEventSet {
  /** Created, text delta and completed: enough for simple clients. */
  LISTED,
  /** Also OpenAI's events of items and of arguments. */
  EXTENDED
}
