package dev.tollgate.core.endpoint;

/** Why an answer ends where it does, in the words of the Responses API. */
enum Incomplete {
  /** It is all there. */
  NOTHING(""),
  OUTPUT_TOKENS("max_output_tokens"),
  FILTERED("content_filter");

  private final String wire;

  Incomplete(String wire) {
    this.wire = wire;
  }

  String wire() {
    return wire;
  }
}
