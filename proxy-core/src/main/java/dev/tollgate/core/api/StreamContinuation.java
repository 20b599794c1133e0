package dev.tollgate.core.api;

/**
 * How a try deals with what its client already has of the stream
 * (docs/decisions/retries.md#resume).
 */
public sealed interface StreamContinuation {
  /** The client has nothing, and what it gets is not kept. */
  record None() implements StreamContinuation {}

  /** The client has nothing, and what it gets is kept. */
  record Recorded(DeliveredContent delivered) implements StreamContinuation {}

  /**
   * The provider is handed what the client has as the beginning of its answer.
   *
   * @param handedTokens our count of that
   */
  record Prefill(DeliveredContent delivered, long handedTokens) implements StreamContinuation {}

  /** The provider is asked anew; what it repeats is held back. */
  record Replay(DeliveredContent delivered) implements StreamContinuation {}

  /** How the stream is continued; empty where it begins. */
  default String wire() {
    return switch (this) {
      case None _, Recorded _ -> "";
      case Prefill _ -> "prefill";
      case Replay _ -> "replay";
    };
  }
}
