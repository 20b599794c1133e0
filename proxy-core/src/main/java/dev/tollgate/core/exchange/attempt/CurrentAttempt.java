package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.FetchedMedia;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.InferenceRequest.OutputBound;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.ReplyFields;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.prompt.TokenRatios;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NextAttempt;
import dev.tollgate.core.routing.RoutePlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of the attempt that serves a request at the moment: its candidate, the request adapted to
 * its model, its stream, and the charge so far. Headers, bodies, log and charge name its model.
 * Loop-confined.
 */
public final class CurrentAttempt {
  /** More tokens than any model writes. */
  private static final long OUTPUT_TOKENS_MAX = 1 << 24;

  private final RoutePlan plan;
  private final Timeline timeline;
  private final RetryState retryState;
  private final Resumption resumption;
  private final Hedge hedge;
  private final RequestLoop loop;
  private final TokenRatios ratios;
  private final StreamCharges charges;
  private final ModelId asked;
  private InferenceCall call;
  private Candidate candidate;
  private @Nullable Attempt attempt;
  private @Nullable Delivery delivery;
  private @Nullable String routing; // as sent to the client

  /** The stream whose content the client got last, and its origin. */
  private record Delivery(StreamingReply stream, InferenceCall call, Candidate candidate) {
    @SuppressWarnings("ReferenceEquality") // a stream has no identity but its own
    boolean isOf(StreamingReply other) {
      return stream == other;
    }
  }

  /**
   * @param call the request for the model that the client named
   */
  CurrentAttempt(
      RoutePlan plan,
      InferenceCall call,
      Timeline timeline,
      RetryState retryState,
      Resumption resumption,
      Hedge hedge,
      TokenRatios ratios,
      RequestLoop loop) {
    this.plan = plan;
    this.timeline = timeline;
    this.retryState = retryState;
    this.resumption = resumption;
    this.hedge = hedge;
    this.ratios = ratios;
    this.loop = loop;
    this.charges = new StreamCharges(ratios);
    this.candidate = plan.candidates().getFirst();
    this.asked = call.model().id();
    this.call = call.at(candidate.model());
  }

  // Changes

  void activate(Attempt one) {
    attempt = one;
    candidate = one.placement().candidate();
    call = one.call();
  }

  /** Adds the media that the request named by URL. */
  void fetched(FetchedMedia media) {
    call = call.with(media);
  }

  /** Notes the first content of the attempt. */
  public void firstContent() {
    loop.check();
    timeline.firstToken(loop.now());
    retryState.firstContent(attempt(), loop.now());
  }

  /** Notes that the client was sent more of the stream. */
  public void delivered() {
    StreamingReply stream = stream();
    if (delivery == null || !delivery.isOf(stream)) {
      delivery = new Delivery(stream, call, candidate);
    }
    resumption.keep(call.continuation());
  }

  /** Adds the charge of a stream that broke off and is to be continued. */
  void interrupted() {
    charges.interrupted(candidate, call, stream());
  }

  // State

  /** Returns the model that the client named. */
  public ModelId asked() {
    return asked;
  }

  /** Returns the request adapted to the model that serves. */
  public InferenceCall call() {
    return call;
  }

  public Candidate candidate() {
    return candidate;
  }

  /** Returns the last attempt. */
  public Attempt attempt() {
    if (attempt == null) {
      throw new IllegalStateException("no attempt was started");
    }
    return attempt;
  }

  /** Returns the last attempt; null if none was started. */
  @Nullable Attempt attemptOrNull() {
    return attempt;
  }

  /** True if a provider may have made the result, which is charged and not requested again. */
  public boolean mayHaveExecuted() {
    return attempt != null && retryState.mayHaveExecuted(attempt);
  }

  /** Returns the failure that the client sees when no attempt follows. */
  public UpstreamFailure failure() {
    return retryState.failure().failure();
  }

  /** Returns the client's error for that failure. */
  public Fault fault() {
    NextAttempt.Failed failed = retryState.failure();
    return FaultMapper.toFault(
        failed.failure(), call.request(), failed.candidate().id(), retryState.records());
  }

  /** Returns the stream that is being relayed. */
  public StreamingReply stream() {
    FlowReader stream = attempt().stream();
    if (stream == null) {
      throw new IllegalStateException("no stream");
    }
    return stream.reply();
  }

  /** Returns the stream that ends an opened reply: the last one with content, or a new one. */
  public StreamingReply lastStream() {
    if (delivery != null) {
      return delivery.stream();
    }
    FlowReader stream = attempt == null ? null : attempt.stream();
    return stream == null ? call.stream(candidate.id()) : stream.reply();
  }

  // Money

  /** Returns the highest possible cost at any candidate. */
  public MicroUsd estimate() {
    return plan.maxCost(call.request()::estimate);
  }

  /**
   * Returns the amount to reserve. A stream that may be continued is written by two providers at
   * least, and each of them charges for its part.
   */
  public MicroUsd reservationAmount() {
    return reservationOf(estimate());
  }

  private MicroUsd reservationOf(MicroUsd once) {
    return resumption.isContinuable() ? once.plus(once) : once;
  }

  /**
   * Returns the highest bound of the output with which the request would reserve no more than this;
   * 0 if there is none.
   */
  public long outputTokensWithin(MicroUsd available, OutputBound bound) {
    long fitting = 0;
    long tooMany = OUTPUT_TOKENS_MAX;
    while (tooMany - fitting > 1) {
      long tokens = (fitting + tooMany) / 2;
      MicroUsd most = plan.maxCost(model -> bound.cost().at(model, tokens));
      if (reservationOf(most).compareTo(available) <= 0) {
        fitting = tokens;
      } else {
        tooMany = tokens;
      }
    }
    return fitting;
  }

  /** True if the reservation covers one more attempt at its highest cost. */
  boolean isCovered(Candidate next) {
    long owed = charges.soFar().cost().value();
    return owed + call.request().estimate(next.model()).value() <= reservationAmount().value();
  }

  /** Returns the charge of a whole reply. */
  public Charge chargeOf(WholeReply whole) {
    return Charge.of(candidate, call, whole, ratios);
  }

  /** Returns the charge of a stream while no provider delivers. */
  public Charge chargeSoFar() {
    return charges.soFar();
  }

  /** Returns the charge of a stream that breaks off now. */
  public Charge chargeIfBroken() {
    return charges.broken(candidate, call, stream());
  }

  /**
   * Returns the charge of a complete stream. A provider that only repeated what was delivered is
   * not charged for.
   */
  public Charge chargeIfComplete() {
    StreamingReply last = stream();
    boolean onlyRepeated = charges.isBegun() && !last.isWritten();
    return onlyRepeated ? charges.soFar() : charges.whole(candidate, call, last);
  }

  /** Returns the likely tokens of the prompt. */
  public long promptTokensLikely() {
    return call.request().prompt().tokensLikely(call.model(), ratios.of(call.model().id()));
  }

  /** True if the prompt of the stream was not counted yet and its estimate may be far off. */
  public boolean isPromptUncertain() {
    boolean isCounted =
        stream().reportedUsage().filter(reported -> reported.promptTokens() > 0).isPresent();
    return !isCounted && (call.request().prompt().isUncertain() || isTextUnusual());
  }

  /** True if the text has less than half or more than twice the model's bytes a token. */
  private boolean isTextUnusual() {
    return call.request().textRatio().filter(ratios.of(call.model().id())::isFarFrom).isPresent();
  }

  /** Learns the ratio of the prompt from a settled charge. */
  public void settled(Charge charge) {
    if (!charges.isBegun()) {
      ratios.settled(call.model().id(), call.request().prompt(), charge.usage());
    }
  }

  /** Returns the gateway's own count of the delivered output. */
  public long deliveredTokens() {
    return charges.tokens(stream());
  }

  // Headers and record

  /** Returns the header fields of a reply. */
  public List<FieldLines> fields(MicroUsd cost, boolean committedEarly) {
    routing = routing(cost, committedEarly);
    List<FieldLines> fields = ReplyFields.of(call, candidate, routing, cost, timeline, loop.now());
    if (attempt != null && !attempt.unsent().isEmpty()) {
      fields.add(ReplyFields.dropped(attempt.unsent()));
    }
    return fields;
  }

  private String routing(MicroUsd cost, boolean committedEarly) {
    return retryState.reason(candidate, attempt, cost, committedEarly, loop.now())
        + resumption.reasonSuffix();
  }

  /**
   * Returns the record's part about routing; it names the provider that delivered last, even if a
   * later one failed.
   */
  public RequestRecord.Served served(Charge charge) {
    InferenceCall served = delivery == null ? call : delivery.call();
    return new RequestRecord.Served(
        served.model().id(),
        served.request().isStream(),
        (delivery == null ? candidate : delivery.candidate()).id(),
        routing == null ? routing(charge.cost(), false) : routing,
        new RequestRecord.AttemptsSummary(
            retryState.records(), resumption.outcome(), hedge.outcome()),
        charge,
        timeline.timing(loop.now()));
  }
}
