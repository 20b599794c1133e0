package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.routing.Candidate;
import org.jspecify.annotations.Nullable;

/**
 * Permit of the in-flight byte budget for the reply body that one attempt will collect. A reply
 * that is charged in any case (an image) is reserved before the request is sent, so that it is not
 * dropped later. Ended exactly once, or moved to a {@link BodyCollector}. Loop-confined.
 */
final class ReplyBudget {
  /** Failure of an attempt whose reply finds no room in the budget. */
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

  /** Returns a budget for the likely size of the reply, and for half of the node's at most. */
  static ReplyBudget of(InferenceRequest request, Candidate candidate, InflightBytes inflight) {
    long likely = request.replyBytesLikely(candidate.route());
    long limit = request.replyBytesMax(candidate.provider());
    return new ReplyBudget(
        inflight, Math.min(Math.min(likely, limit), inflight.bytesMax() / BUDGET_DIVISOR));
  }

  /** Acquires the permit, once. Returns false if the in-flight budget has no room. */
  boolean tryReserve() {
    if (permit == null && bytes > 0) {
      permit = inflight.tryAcquire(bytes).orElse(null);
      return permit != null;
    }
    return true;
  }

  /**
   * Returns a collector: with this permit for the reply that was reserved, else with a new one;
   * null if the in-flight budget has no room.
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

  /** Returns the failure of a reply above its limit; for an image the limit is the gateway's. */
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
