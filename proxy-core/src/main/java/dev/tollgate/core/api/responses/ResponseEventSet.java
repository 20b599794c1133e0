package dev.tollgate.core.api.responses;

/** Which events a stream of the Responses API has (docs/decisions/responses.md#events). */
public enum ResponseEventSet {
  /** (docs/decisions/Created, text delta and completed: what plain clients need.) */
  LISTED,
  /** OpenAI's events of items and of arguments, too. */
  EXTENDED
}
