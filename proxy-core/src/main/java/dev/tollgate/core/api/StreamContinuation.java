package dev.tollgate.core.api;

/**
 * Way in which an attempt treats the content that the client already has when the attempt starts
 * (docs/decisions/retries.md#resume).
 */
public sealed interface StreamContinuation {
  /** The client has no content, and what it receives is not recorded. */
  record None() implements StreamContinuation {}

  /** The client has no content, and what it receives is recorded. */
  record Recorded(DeliveredContent delivered) implements StreamContinuation {}

  /**
   * The provider gets the delivered content as a prefill.
   *
   * @param handedTokens the gateway's count of its tokens
   */
  record Prefill(DeliveredContent delivered, long handedTokens) implements StreamContinuation {}

  /**
   * The provider gets the original request again, and content that the client has is filtered out.
   */
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
