package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.endpoint.Delivered;
import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.endpoint.InferenceRequest;
import dev.tollgate.core.endpoint.Opening;
import dev.tollgate.core.routing.Candidate;
import java.util.ArrayList;
import java.util.List;

/**
 * How a stream that breaks off behind content is continued by another provider (DECISIONS 6): what
 * is kept of it, who may continue it, and in which way. Ended exactly once. Loop-confined.
 */
final class Resumption {
  private final Resume how;
  private final InferenceRequest request;
  private final int keptBytesMax;
  private final StreamMemory memory;
  private final List<Candidate> unprefilled = new ArrayList<>(0);
  private Delivered delivered;
  private Resumed outcome = Resumed.NO;
  private boolean refused;

  /**
   * @param call what the client asked of the model that it named
   * @param keptBytesMax how much of the text is kept
   */
  Resumption(InferenceCall call, int keptBytesMax, InflightBytes inflight) {
    this.request = call.request();
    this.how = how(call);
    this.keptBytesMax = keptBytesMax;
    this.delivered = new Delivered(keptBytesMax);
    this.memory = StreamMemory.ofText(inflight);
  }

  private static Resume how(InferenceCall call) {
    Resume wished = call.request().routing().resume();
    return !call.request().isStream()
        ? Resume.OFF
        : wished == null ? call.model().resume() : wished;
  }

  /** What the routing reason says of it; empty where the stream is not continued. */
  String note() {
    return !isKept() ? "" : " resume=" + how.wire();
  }

  /** How a try at this candidate begins. */
  Opening opening(Candidate candidate) {
    if (!isKept()) {
      return new Opening.Plain();
    }
    if (!delivered.isBegun()) {
      return new Opening.Kept(new Delivered(keptBytesMax));
    }
    return isPrefillable(candidate)
        ? new Opening.Prefill(delivered, delivered.tokens())
        : new Opening.Replay(delivered);
  }

  /** Whether a stream that breaks off is to be continued. */
  boolean mayFollow() {
    return isKept();
  }

  private boolean isKept() {
    return how != Resume.OFF && request.mayBeResumed();
  }

  /** Whether this candidate can continue what was delivered. */
  boolean suits(Candidate candidate) {
    return how != Resume.PREFILL || isPrefillable(candidate);
  }

  private boolean isPrefillable(Candidate candidate) {
    return how != Resume.REPLAY
        && candidate.provider().quirks().prefill() != Prefill.NONE
        && delivered.isPrefillable()
        && (how == Resume.PREFILL || delivered.isTold())
        && request.mayBePrefilled()
        && unprefilled.stream().noneMatch(candidate::isSame);
  }

  /** More was delivered by a try that began so: it is kept while there is room for it. */
  void keep(Opening opening) {
    if (opening instanceof Opening.Kept kept) {
      delivered = kept.delivered();
    }
    // Characters beyond Latin-1 take twice the bytes that they came in.
    if (!memory.hold(2 * delivered.keptBytes())) {
      delivered.drop();
    }
    if (outcome != Resumed.NO) {
      outcome = Resumed.CONTINUED;
    }
  }

  /** The stream broke off behind content: whether another provider may continue it. */
  boolean brokeOff() {
    if (how == Resume.OFF) {
      return false;
    }
    outcome =
        switch (delivered.state()) {
          case TEXT -> isKept() ? Resumed.FAILED : Resumed.UNSUPPORTED; // so far
          case OTHER -> Resumed.UNSUPPORTED;
          case TOO_LONG -> Resumed.TOO_LONG;
        };
    return outcome == Resumed.FAILED;
  }

  /** All of it came: a provider that only repeated what was delivered continued it, too. */
  void completed() {
    if (outcome == Resumed.FAILED) {
      outcome = Resumed.CONTINUED;
    }
  }

  /**
   * What a failure says: one of a begun answer that a provider does not take is about that, and not
   * about the provider, its model or the request.
   */
  static UpstreamFailure ofTheRequest(Opening opening, UpstreamFailure failure) {
    boolean refuses =
        failure.kind() == Kind.MODEL_MISSING
            || (failure.isOfTheRequest() && failure.kind() != Kind.CONTENT_FILTERED);
    return refuses && opening instanceof Opening.Prefill
        ? UpstreamFailure.of(Kind.REJECTED, failure.reason())
        : failure;
  }

  /**
   * What the next try is chosen by: content that was delivered is no obstacle to it, and a refusal
   * of a begun answer says nothing about the request.
   */
  UpstreamFailure judged(Candidate candidate, Opening opening, UpstreamFailure failure) {
    if (failure.kind() == Kind.DIVERGED) {
      outcome = Resumed.DIVERGED;
    }
    if (opening instanceof Opening.Prefill && failure.kind() == Kind.REJECTED) {
      unprefilled.add(candidate);
      refused = true;
      return UpstreamFailure.of(Kind.UNEXPECTED_REPLY, failure.reason());
    }
    return failure.withoutDelivery();
  }

  /** Whether a candidate that just refused a begun answer may be asked for all of it. */
  boolean isToBeRepeated(Candidate candidate) {
    boolean again = refused && suits(candidate);
    refused = false;
    return again;
  }

  Resumed outcome() {
    return outcome;
  }

  void end() {
    memory.end();
  }
}
