package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatStream;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.RoutePlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who serves a request at the moment: the candidate, the try at it, and the tries so far. The model
 * that serves is the one that headers, bodies, log and charge name. Loop-confined.
 */
final class Serving {
  private final ExchangeContext context;
  private final Downstream downstream;
  private final RoutePlan plan;
  private final Tries tries;
  private ChatCall call;
  private Candidate candidate;
  private @Nullable Attempt attempt;

  /**
   * @param begunNanos when the whole request was here, on the loop's ticker
   */
  Serving(
      ExchangeContext context,
      Downstream downstream,
      ChatCall call,
      RoutePlan plan,
      long begunNanos) {
    this.context = context;
    this.downstream = downstream;
    this.plan = plan;
    this.candidate = plan.candidates().getFirst();
    this.call = call.at(candidate.model());
    this.tries = new Tries(context.fleet(), plan, begunNanos, call.request());
  }

  /** The tries so far, and what follows them. */
  Tries tries() {
    return tries;
  }

  /** The request as it is put to whoever serves it. */
  ChatCall call() {
    return call;
  }

  Candidate candidate() {
    return candidate;
  }

  /** The most that the request can cost at whoever may serve it. */
  MicroUsd estimate() {
    return plan.dearest(call.request()::estimate);
  }

  /** Makes a try. */
  void ask(Placement placement, AttemptListener listener) {
    candidate = placement.candidate();
    call = call.at(candidate.model());
    long deadline = tries.deadline(candidate);
    attempt = new Attempt(placement, call, context, downstream, deadline, listener);
    attempt.start();
  }

  /** The last try. */
  Attempt attempt() {
    if (attempt == null) {
      throw new IllegalStateException("nobody was asked");
    }
    return attempt;
  }

  /** The client reads again. */
  void resume() {
    if (attempt != null) {
      attempt.resume();
    }
  }

  /** Nobody waits for the try any more. */
  void cancel(long nowNanos) {
    if (attempt != null && !attempt.isOver()) {
      tries.cancelled(attempt, nowNanos);
      attempt.cancel();
    }
  }

  /** The stream that is being relayed. */
  ChatStream chat() {
    StreamReader stream = attempt().stream();
    if (stream == null) {
      throw new IllegalStateException("no stream");
    }
    return stream.chat();
  }

  /** The stream that ends an opened reply: the last provider's, or one of our own. */
  ChatStream lastStream() {
    StreamReader stream = attempt == null ? null : attempt.stream();
    return stream == null ? call.stream(candidate.id()) : stream.chat();
  }

  /** The headers of a reply. */
  List<Field> fields(MicroUsd cost, boolean committedEarly, Timeline timeline, long nowNanos) {
    String reason = tries.reason(candidate, attempt, cost, committedEarly);
    return ReplyFields.of(call, candidate, reason, cost, timeline, nowNanos);
  }

  /** What is recorded of it. */
  RequestRecord.Served served(Charge charge, Timeline timeline, long nowNanos) {
    return new RequestRecord.Served(
        call.model().id(),
        call.request().isStream(),
        candidate.id(),
        tries.records(),
        charge.usage(),
        charge.cost(),
        timeline.firstToken(),
        timeline.upstream(nowNanos),
        timeline.overhead(nowNanos),
        timeline.phases());
  }
}
