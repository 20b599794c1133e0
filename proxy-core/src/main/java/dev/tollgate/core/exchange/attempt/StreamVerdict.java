package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Check whether an ended stream is complete, judged by its finish_reason and {@code [DONE]}, and
 * never by how the connection ended.
 */
final class StreamVerdict {
  private StreamVerdict() {}

  /**
   * Returns the failure of a stream that ended; null if it is complete
   * (docs/decisions/streaming.md#endings).
   */
  static @Nullable UpstreamFailure failure(StreamReader reader, Dialect dialect, int status) {
    boolean finished = reader.reply().finished();
    boolean delivered = reader.reply().contentSeen();
    return switch (reader.state()) {
      case OPEN ->
          finished
              ? null
              : reader.reply().endedBehind()
                  ? diverged()
                  : UpstreamFailure.of(
                      Kind.DISCONNECTED, "the stream ended before it was finished");
      case DONE ->
          finished || delivered
              ? null
              : UpstreamFailure.of(Kind.DISCONNECTED, "the stream ended without content");
      case ERROR -> finished ? null : ofErrorEvent(reader, dialect, status);
      case FAILED ->
          finished
              ? null
              : broken(Kind.SERVER_ERROR, "the provider failed while answering", delivered);
      case BROKEN ->
          finished ? null : broken(Kind.MALFORMED, "an event of the stream is broken", delivered);
      case OVERSIZED ->
          finished
              ? null
              : broken(
                  Kind.MALFORMED,
                  "the stream's framing is broken, or an event too large",
                  delivered);
      case DIVERGED -> diverged();
    };
  }

  private static UpstreamFailure diverged() {
    return UpstreamFailure.of(Kind.DIVERGED, "the stream differs from what was delivered");
  }

  private static UpstreamFailure broken(Kind kind, String reason, boolean delivered) {
    UpstreamFailure failure = UpstreamFailure.of(kind, reason);
    return delivered ? failure.asInterruption(0) : failure;
  }

  private static UpstreamFailure ofErrorEvent(StreamReader reader, Dialect dialect, int status) {
    byte[] event = reader.errorEvent();
    UpstreamFailure failure = dialect.failureInside(event, 0, event.length);
    return reader.reply().contentSeen() ? failure.asInterruption(status) : failure;
  }
}
