package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Ledger.Answer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The requests of one organization that wait for a grant, first come first. Ledger's thread. */
final class Line {
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private boolean asking;
  private long notBeforeNanos;

  /** A request that found too little on this node. */
  record Waiter(
      RequestId request,
      Purse purse,
      long most,
      Executor loop,
      Consumer<Answer> answer,
      long sinceNanos,
      long sinceCall) {
    Waiter since(long call) {
      return new Waiter(request, purse, most, loop, answer, sinceNanos, call);
    }

    Waiter with(Purse other) {
      return new Waiter(request, other, most, loop, answer, sinceNanos, sinceCall);
    }
  }

  Line(long nowNanos) {
    notBeforeNanos = nowNanos;
  }

  Deque<Waiter> waiters() {
    return waiters;
  }

  /** Gives those who wait for a forgotten account the one in its place. */
  void renew(UnaryOperator<Waiter> renewed) {
    if (waiters.stream().anyMatch(waiter -> waiter.purse().isStale())) {
      List<Waiter> all = waiters.stream().map(renewed).toList();
      waiters.clear();
      waiters.addAll(all);
    }
  }

  /** Whether the books may be asked for the one in front. */
  boolean mayAsk(long nowNanos) {
    return !asking && !waiters.isEmpty() && nowNanos - notBeforeNanos >= 0;
  }

  void asks() {
    asking = true;
  }

  /** An answer came; the next question may follow from then on. */
  void answered(long notBefore) {
    asking = false;
    notBeforeNanos = notBefore;
  }

  boolean isDone() {
    return waiters.isEmpty() && !asking;
  }
}
