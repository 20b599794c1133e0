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
 * How a stream that breaks off behind content is continued by another provider
 * (docs/decisions/retries.md#resume): what is kept of it, who may continue it, and in which way.
 * Ended exactly once. Loop-confined.
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
   * @param call what the client asked of the model that it named
   * @param keptBytesMax how much of the text is kept
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

  /** What the routing reason says of it; empty where the stream is not continued. */
  String reasonSuffix() {
    return !isKept() ? "" : " resume=" + how.wire();
  }

  /** How a try at this candidate begins. */
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

  /** Whether a stream that breaks off is to be continued. */
  boolean isContinuable() {
    return isKept();
  }

  private boolean isKept() {
    return how != Resume.OFF && request.mayBeResumed();
  }

  /** Whether this candidate can continue what was delivered. */
  boolean canContinue(Candidate candidate) {
    return how != Resume.PREFILL || isPrefillable(candidate);
  }

  private boolean isPrefillable(Candidate candidate) {
    return how != Resume.REPLAY
        && candidate.provider().quirks().prefill() != Prefill.NONE
        && delivered.isPrefillable()
        && (how == Resume.PREFILL || delivered.isDistinctive())
        && request.mayBePrefilled()
        && prefillRefused.stream().noneMatch(candidate::isSame);
  }

  /** More was delivered by a try that began so: it is kept while there is room for it. */
  void keep(StreamContinuation opening) {
    if (opening instanceof StreamContinuation.Recorded kept) {
      delivered = kept.delivered();
    }
    // Characters beyond Latin-1 take twice the bytes that they came in.
    if (!memory.tryResize(2 * delivered.keptBytes())) {
      delivered.drop();
    }
    if (outcome != ResumeOutcome.NO) {
      outcome = ResumeOutcome.CONTINUED;
    }
  }

  /** The stream broke off behind content: whether another provider may continue it. */
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

  /** All of it came: a provider that only repeated what was delivered continued it, too. */
  void completed() {
    if (outcome == ResumeOutcome.FAILED) {
      outcome = ResumeOutcome.CONTINUED;
    }
  }

  /**
   * What a failure says: one of a begun answer that a provider does not take is about that, and not
   * about the provider, its model or the request.
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
   * What the next try is chosen by: content that was delivered is no obstacle to it, and a refusal
   * of a begun answer says nothing about the request.
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

  /** Whether a candidate that just refused a begun answer may be asked for all of it. */
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
