package dev.tollgate.core.endpoint;

/** How a try deals with what its client already has of the stream (DECISIONS 6). */
public sealed interface Opening {
  /** The client has nothing, and what it gets is not kept. */
  record Plain() implements Opening {}

  /** The client has nothing, and what it gets is kept. */
  record Kept(Delivered delivered) implements Opening {}

  /**
   * The provider is handed what the client has as the beginning of its answer.
   *
   * @param handedTokens our count of that
   */
  record Prefill(Delivered delivered, long handedTokens) implements Opening {}

  /** The provider is asked anew; what it repeats is held back. */
  record Replay(Delivered delivered) implements Opening {}

  /** How the stream is continued; empty where it begins. */
  default String wire() {
    return switch (this) {
      case Plain _, Kept _ -> "";
      case Prefill _ -> "prefill";
      case Replay _ -> "replay";
    };
  }
}
