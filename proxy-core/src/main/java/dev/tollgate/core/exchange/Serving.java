package dev.tollgate.core.exchange;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.endpoint.ReplyFlow;
import dev.tollgate.core.fetch.Fetched;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.RoutePlan;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who serves a request at the moment: the candidate, the try at it, and the tries so far. The model
 * that serves is the one that headers, bodies, log and charge name. Loop-confined.
 */
final class Serving implements Contender.Contest {
  private final ExchangeContext context;
  private final Downstream downstream;
  private final RoutePlan plan;
  private final Tries tries;
  private final Resumption resumption;
  private final Bill bill = new Bill();
  private final Hedge hedge;
  private final Consumer<ModelId> askLimits;
  private InferenceCall call;
  private Candidate candidate;
  private @Nullable Attempt attempt;
  private @Nullable Contender second;
  private @Nullable Contender first;
  private @Nullable ReplyFlow relayed;
  private @Nullable InferenceCall relayedCall;
  private @Nullable Candidate relayer;
  private @Nullable String routing; // as the client was told

  /**
   * @param begunNanos when the whole request was here, on the loop's ticker
   * @param askLimits asks whether the limits of a model let the request fall back to it
   */
  Serving(
      ExchangeContext context,
      Downstream downstream,
      InferenceCall call,
      RoutePlan plan,
      long begunNanos,
      Consumer<ModelId> askLimits) {
    this.askLimits = askLimits;
    this.context = context;
    this.downstream = downstream;
    this.plan = plan;
    this.candidate = plan.candidates().getFirst();
    this.call = call.at(candidate.model());
    this.tries = new Tries(context.fleet(), plan, begunNanos, call.request());
    this.resumption = new Resumption(call, plan.rules().resumeBytesMax(), context.inflight());
    this.hedge = new Hedge(call.request(), plan.rules(), downstream.loop());
  }

  /** The tries so far, and what follows them. */
  Tries tries() {
    return tries;
  }

  /** The request as it is put to whoever serves it. */
  InferenceCall call() {
    return call;
  }

  /** The images that the request named by URL are here. */
  void fetched(Map<Integer, Fetched.Image> images) {
    call = call.with(images);
  }

  Candidate candidate() {
    return candidate;
  }

  /** The most that the request can cost at whoever may serve it. */
  MicroUsd estimate() {
    return plan.dearest(call.request()::estimate);
  }

  /**
   * What is set aside for it. A stream that may be continued is written by two providers at least,
   * and each of them is owed for what it wrote.
   */
  MicroUsd setAside() {
    MicroUsd once = estimate();
    return resumption.mayFollow() ? once.plus(once) : once;
  }

  /** Whether what was set aside reaches for one more try at its worst. */
  private boolean isCovered(Candidate next) {
    long owed = bill.soFar().cost().value();
    return owed + call.request().estimate(next.model()).value() <= setAside().value();
  }

  /** Makes a try. */
  void ask(Placement placement, AttemptListener listener) {
    Contender contender = contender(placement, listener);
    first = contender;
    serve(contender);
    if (contender.call().opening().wire().isEmpty()) {
      hedge.await(() -> Guarded.run(() -> late(contender, listener), listener::surprised));
    }
    contender.attempt().start();
  }

  private Contender contender(Placement placement, AttemptListener listener) {
    Candidate asked = placement.candidate();
    InferenceCall own = call.at(asked.model()).with(resumption.opening(asked));
    return new Contender(
        placement, own, context, downstream, tries.deadline(asked), this, listener);
  }

  private void serve(Contender contender) {
    attempt = contender.attempt();
    candidate = attempt.placement().candidate();
    call = contender.call();
  }

  // A second try beside the first

  /** The first token is late. */
  private void late(Contender waiting, AttemptListener listener) {
    hedge.stop();
    if (!waiting.attempt().isOver()) {
      tries.beside(waiting.attempt(), now()).ifPresent(at -> begin(waiting, at, listener));
    }
  }

  private void begin(Contender waiting, Placement placement, AttemptListener listener) {
    Contender begun;
    try {
      begun = contender(placement, listener);
    } catch (RuntimeException | OutOfMemoryError surprise) {
      placement.neutral(now());
      throw surprise;
    }
    second = begun;
    hedge.begun(waiting, begun);
    begun.attempt().start();
  }

  @Override
  public void won(Contender contender) {
    hedge.stop();
    hedge.won(contender);
    Contender rival = rivalOf(contender);
    if (rival != null) {
      serve(contender);
      second = null;
      if (rival == first) {
        tries.outrun(rival.attempt(), now());
      } else {
        tries.givenUp(rival.attempt(), now());
      }
      rival.attempt().cancel();
    }
  }

  @Override
  public boolean lost(Contender contender, UpstreamFailure failure) {
    Contender rival = rivalOf(contender);
    if (rival == null) {
      hedge.stop();
      return false;
    }
    second = null;
    if (contender == first && !failure.isWorthAnother()) {
      // What the request itself caused is not routed around; the second was asked for its speed.
      hedge.stop();
      serve(contender);
      tries.givenUp(rival.attempt(), now());
      rival.attempt().cancel();
      return false;
    }
    tries.failed(contender.attempt(), failure, failure, now());
    serve(rival);
    return true;
  }

  @Override
  public boolean hasAlternative() {
    return second != null || tries.hasFallback(candidate, now(), askLimits);
  }

  /** Who else is asked at the moment. */
  private @Nullable Contender rivalOf(Contender contender) {
    return second == null ? null : contender == second ? first : second;
  }

  private long now() {
    return downstream.loop().ticker().nanoTime();
  }

  /** The last try. */
  Attempt attempt() {
    if (attempt == null) {
      throw new IllegalStateException("nobody was asked");
    }
    return attempt;
  }

  /** Whether what was asked for may have been made, is paid for, and is not asked for again. */
  boolean isBought() {
    return attempt != null && tries.isBought(attempt);
  }

  /** The client reads again. */
  void resume() {
    if (attempt != null) {
      attempt.resume();
    }
    if (second != null) {
      second.attempt().resume();
    }
  }

  /** The last try failed. */
  void failed(UpstreamFailure failure, long nowNanos) {
    UpstreamFailure told = Resumption.ofTheRequest(call.opening(), failure);
    UpstreamFailure judged = resumption.judged(candidate, call.opening(), told);
    tries.failed(attempt(), told, judged, nowNanos);
    if (resumption.isToBeRepeated(candidate)) {
      tries.again(candidate);
    }
  }

  /** The last try brought all that there was. */
  void succeeded(long tokens, long nowNanos) {
    resumption.completed();
    tries.succeeded(attempt(), tokens, nowNanos);
  }

  /** The failure came behind content: whether another provider may continue the stream. */
  boolean brokeOff() {
    tries.brokeOff(next -> resumption.suits(next) && isCovered(next));
    if (!resumption.brokeOff()) {
      return false;
    }
    bill.brokeOff(call, stream());
    return true;
  }

  /** The client was sent more. */
  void delivered() {
    relayed = stream();
    relayedCall = call;
    relayer = candidate;
    resumption.keep(call.opening());
  }

  /** Nobody waits for the try any more. */
  void cancel(long nowNanos) {
    if (attempt != null && !attempt.isOver()) {
      tries.cancelled(attempt, nowNanos);
      attempt.cancel();
    }
    if (second != null) {
      tries.cancelled(second.attempt(), nowNanos);
      second.attempt().cancel();
      second = null;
    }
  }

  /** The stream that is being relayed. */
  ReplyFlow stream() {
    FlowReader stream = attempt().stream();
    if (stream == null) {
      throw new IllegalStateException("no stream");
    }
    return stream.reply();
  }

  /** The stream that ends an opened reply: the last one with content, or one of our own. */
  ReplyFlow lastStream() {
    if (relayed != null) {
      return relayed;
    }
    FlowReader stream = attempt == null ? null : attempt.stream();
    return stream == null ? call.stream(candidate.id()) : stream.reply();
  }

  /** What a stream owes while nobody delivers. */
  Charge charged() {
    return bill.soFar();
  }

  /** What it owes if it breaks off now. */
  Charge chargeIfBroken() {
    return bill.broken(call, stream());
  }

  /** What it owes now that it is complete; who only repeated what was delivered gets nothing. */
  Charge chargeOfWhole() {
    ReplyFlow last = stream();
    boolean onlyRepeated = bill.isBegun() && !last.isWritten();
    return onlyRepeated ? bill.soFar() : bill.whole(call, last);
  }

  /** Our count of what was delivered. */
  long deliveredTokens() {
    return bill.tokens(stream());
  }

  /** Nothing is kept any more, and nobody asked. */
  void end(long nowNanos) {
    hedge.stop();
    if (second != null) {
      second.attempt().placement().neutral(nowNanos);
    }
    if (attempt != null) {
      attempt.placement().neutral(nowNanos);
    }
    tries.end(nowNanos);
    resumption.end();
  }

  /** The headers of a reply. */
  List<FieldLines> fields(MicroUsd cost, boolean committedEarly, Timeline timeline, long nowNanos) {
    routing = routing(cost, committedEarly, nowNanos);
    return ReplyFields.of(call, candidate, routing, cost, timeline, nowNanos);
  }

  private String routing(MicroUsd cost, boolean committedEarly, long nowNanos) {
    return tries.reason(candidate, attempt, cost, committedEarly, nowNanos) + resumption.note();
  }

  /** What is recorded of it: whoever delivered last served it, whatever came of those behind. */
  RequestRecord.Served served(Charge charge, Timeline timeline, long nowNanos) {
    InferenceCall served = relayedCall == null ? call : relayedCall;
    return new RequestRecord.Served(
        served.model().id(),
        served.request().isStream(),
        (relayer == null ? candidate : relayer).id(),
        routing == null ? routing(charge.cost(), false, nowNanos) : routing,
        tries.records(),
        resumption.outcome(),
        hedge.outcome(),
        charge.usage(),
        charge.cost(),
        timeline.firstToken(),
        timeline.upstream(nowNanos),
        timeline.overhead(nowNanos),
        timeline.phases());
  }
}
