package dev.tollgate.core.api;

/** Reason why a provider's reply is incomplete, with its name in the Responses API. */
public enum IncompleteReason {
  /** The reply is complete. */
  NONE(""),
  OUTPUT_TOKENS("max_output_tokens"),
  FILTERED("content_filter");

  private final String wire;

  IncompleteReason(String wire) {
    this.wire = wire;
  }

  public String wire() {
    return wire;
  }
}
