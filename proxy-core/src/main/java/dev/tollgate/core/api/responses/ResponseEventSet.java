package dev.tollgate.core.api.responses;

/** Which events a stream of the Responses API has (DECISIONS 12). */
public enum ResponseEventSet {
  /** The three that SPEC 4.12 lists. */
  LISTED,
  /** OpenAI's events of items and of arguments, too. */
  EXTENDED
}
