package dev.tollgate.core.api;

/**
 * Treatment of the content that a client already has when an attempt starts
 * (docs/decisions/retries.md#resume).
 */
public sealed interface StreamContinuation {
  /** The client has nothing, and its content is not recorded. */
  record None() implements StreamContinuation {}

  /** The client has nothing, and its content is recorded. */
  record Recorded(DeliveredContent delivered) implements StreamContinuation {}

  /**
   * The provider gets the delivered content as a prefill.
   *
   * @param handedTokens the gateway's count of its tokens
   */
  record Prefill(DeliveredContent delivered, long handedTokens) implements StreamContinuation {}

  /** The provider gets the request again; repeated content is held back. */
  record Replay(DeliveredContent delivered) implements StreamContinuation {}

  /** Returns the kind of continuation as a label; empty for a new stream. */
  default String wire() {
    return switch (this) {
      case None _, Recorded _ -> "";
      case Prefill _ -> "prefill";
      case Replay _ -> "replay";
    };
  }
}
