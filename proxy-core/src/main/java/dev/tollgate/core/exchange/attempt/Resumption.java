package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.DeliveredContent;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.StreamContinuation;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.routing.Candidate;
import java.util.ArrayList;
import java.util.List;

/**
 * State for continuing, at another provider, a stream that broke off after content
 * (docs/decisions/retries.md#resume). It has a copy of the delivered text, the candidates that may
 * continue it, and the method. Ended exactly once. Loop-confined.
 */
final class Resumption {
  private final Resume how;
  private final InferenceRequest request;
  private final int keptBytesMax;
  private final StreamMemory memory;
  private final List<Candidate> prefillRefused = new ArrayList<>(0);
  private DeliveredContent delivered;
  private ResumeOutcome outcome = ResumeOutcome.NO;
  private boolean refused;

  /**
   * @param call the request for the model that the client named
   * @param keptBytesMax bound of the copy of the text
   */
  Resumption(InferenceCall call, int keptBytesMax, InflightBytes inflight) {
    this.request = call.request();
    this.how = how(call);
    this.keptBytesMax = keptBytesMax;
    this.delivered = new DeliveredContent(keptBytesMax);
    this.memory = StreamMemory.ofText(inflight);
  }

  private static Resume how(InferenceCall call) {
    Resume requested = call.request().routing().resume();
    return !call.request().isStream()
        ? Resume.OFF
        : requested == null ? call.model().resume() : requested;
  }

  /** Returns the suffix of the routing reason; empty if the stream is not resumable. */
  String reasonSuffix() {
    return !isKept() ? "" : " resume=" + how.wire();
  }

  /** Returns how an attempt at this candidate begins. */
  StreamContinuation opening(Candidate candidate) {
    if (!isKept()) {
      return new StreamContinuation.None();
    }
    if (!delivered.isBegun()) {
      return new StreamContinuation.Recorded(new DeliveredContent(keptBytesMax));
    }
    return isPrefillable(candidate)
        ? new StreamContinuation.Prefill(delivered, delivered.tokens())
        : new StreamContinuation.Replay(delivered);
  }

  /** True if the stream may be continued after it breaks off. */
  boolean isContinuable() {
    return isKept();
  }

  private boolean isKept() {
    return how != Resume.OFF && request.mayBeResumed();
  }

  /** True if this candidate can continue what was delivered. */
  boolean canContinue(Candidate candidate) {
    return how != Resume.PREFILL || isPrefillable(candidate);
  }

  private boolean isPrefillable(Candidate candidate) {
    return how != Resume.REPLAY
        && candidate.provider().quirks().prefill() != Prefill.NONE
        && delivered.isPrefillable()
        && (how == Resume.PREFILL || delivered.isDistinctive())
        && request.mayBePrefilled(candidate.route(), candidate.model())
        && prefillRefused.stream().noneMatch(candidate::isSame);
  }

  /** Copies the text that an attempt with this beginning delivered, while the budget has room. */
  void keep(StreamContinuation opening) {
    if (opening instanceof StreamContinuation.Recorded kept) {
      delivered = kept.delivered();
    }
    // Characters beyond Latin-1 take twice the bytes that they have on the wire.
    if (!memory.tryResize(2 * delivered.keptBytes())) {
      delivered.drop();
    }
    if (outcome != ResumeOutcome.NO) {
      outcome = ResumeOutcome.CONTINUED;
    }
  }

  /** Notes that the stream broke off after content. Returns true if it may be continued. */
  boolean interrupted() {
    if (how == Resume.OFF) {
      return false;
    }
    outcome =
        switch (delivered.state()) {
          case TEXT -> isKept() ? ResumeOutcome.FAILED : ResumeOutcome.UNSUPPORTED; // so far
          case OTHER -> ResumeOutcome.UNSUPPORTED;
          case TOO_LONG -> ResumeOutcome.TOO_LONG;
        };
    return outcome == ResumeOutcome.FAILED;
  }

  /** Notes that the stream is complete, also if the last provider only repeated it. */
  void completed() {
    if (outcome == ResumeOutcome.FAILED) {
      outcome = ResumeOutcome.CONTINUED;
    }
  }

  /**
   * Returns the failure in its meaning for the provider: the refusal of a prefilled answer is no
   * fault of the provider, its model or the request.
   */
  static UpstreamFailure reclassified(StreamContinuation opening, UpstreamFailure failure) {
    boolean refuses =
        failure.kind() == Kind.MODEL_MISSING
            || (failure.isRequestFault() && failure.kind() != Kind.CONTENT_FILTERED);
    return refuses && opening instanceof StreamContinuation.Prefill
        ? UpstreamFailure.of(Kind.REJECTED, failure.reason())
        : failure;
  }

  /**
   * Returns the failure by which the next attempt is chosen: delivered content is no obstacle, and
   * the refusal of a prefilled answer is no fault of the request.
   */
  UpstreamFailure failureForRetry(
      Candidate candidate, StreamContinuation opening, UpstreamFailure failure) {
    if (failure.kind() == Kind.DIVERGED) {
      outcome = ResumeOutcome.DIVERGED;
    }
    if (opening instanceof StreamContinuation.Prefill && failure.kind() == Kind.REJECTED) {
      prefillRefused.add(candidate);
      refused = true;
      return UpstreamFailure.of(Kind.UNEXPECTED_REPLY, failure.reason());
    }
    return failure.withoutDelivery();
  }

  /** True, once, if a candidate that refused a prefilled answer may get the whole request. */
  boolean shouldRepeat(Candidate candidate) {
    boolean again = refused && canContinue(candidate);
    refused = false;
    return again;
  }

  ResumeOutcome outcome() {
    return outcome;
  }

  void end() {
    memory.end();
  }
}
