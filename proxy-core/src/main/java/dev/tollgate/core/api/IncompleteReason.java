package dev.tollgate.core.api;

/** Why an answer ends where it does, in the words of the Responses API. */
public enum IncompleteReason {
  /** It is all there. */
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
