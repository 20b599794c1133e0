package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.routing.Candidate;
import org.jspecify.annotations.Nullable;

/**
 * A try's place in the in-flight budget for its reply. For one that is bought it is taken before
 * the request is written: later it would be paid for, and thrown away. Ended exactly once, or given
 * to a {@link BodyCollector}. Loop-confined.
 */
final class ReplyBudget {
  /** The budget has no room for a reply. */
  static final UpstreamFailure EXHAUSTED =
      UpstreamFailure.of(Kind.OVERLOADED, "no room for the reply in max_inflight_bytes");

  private static final int BUDGET_DIVISOR = 2;

  private final InflightBytes inflight;
  private final long bytes;
  private InflightBytes.@Nullable Permit permit;

  private ReplyBudget(InflightBytes inflight, long bytes) {
    this.inflight = inflight;
    this.bytes = bytes;
  }

  /**
   * As much as the reply will most likely need; a small node keeps some of its budget for others.
   */
  static ReplyBudget of(InferenceRequest request, Candidate candidate, InflightBytes inflight) {
    long likely = request.replyBytesLikely(candidate.route());
    long limit = request.replyBytesMax(candidate.provider());
    return new ReplyBudget(
        inflight, Math.min(Math.min(likely, limit), inflight.bytesMax() / BUDGET_DIVISOR));
  }

  /** Takes it, once; false where the budget has none. */
  boolean tryReserve() {
    if (permit == null && bytes > 0) {
      permit = inflight.tryAcquire(bytes).orElse(null);
      return permit != null;
    }
    return true;
  }

  /**
   * Collects the reply there, or something else where there is a place left; null: there is none.
   */
  @Nullable BodyCollector collector(int bytesMax, boolean wanted, BodyLength declaredLength) {
    InflightBytes.Permit held = permit;
    if (wanted && held != null) {
      permit = null;
      return new BodyCollector(bytesMax, held, (int) bytes, declaredLength);
    }
    end();
    return inflight
        .tryAcquire(0)
        .map(none -> new BodyCollector(bytesMax, none, 0, declaredLength))
        .orElse(null);
  }

  /** What is bought came as it was asked for, and the bound is ours. */
  static UpstreamFailure exceeded(InferenceRequest request) {
    return request.mayBeRepeated()
        ? UpstreamFailure.of(Kind.MALFORMED, "the reply is larger than max_event_bytes")
        : UpstreamFailure.of(Kind.OVERSIZED, "the reply is larger than max_image_reply_bytes");
  }

  void end() {
    if (permit != null) {
      permit.end();
      permit = null;
    }
  }
}
