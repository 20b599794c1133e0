package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Ledger.ReserveResult;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The requests of one organization that wait for a grant, first come first. Ledger's thread. */
final class GrantQueue {
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private boolean callPending;
  private long notBeforeNanos;

  /** A request that found too little on this node. */
  record Waiter(
      RequestId request,
      PayerAccounts payerAccounts,
      long amount,
      Executor loop,
      Consumer<ReserveResult> answer,
      long sinceNanos,
      long sinceCall) {
    Waiter withSinceCall(long call) {
      return new Waiter(request, payerAccounts, amount, loop, answer, sinceNanos, call);
    }

    Waiter withAccounts(PayerAccounts other) {
      return new Waiter(request, other, amount, loop, answer, sinceNanos, sinceCall);
    }
  }

  GrantQueue(long nowNanos) {
    notBeforeNanos = nowNanos;
  }

  Deque<Waiter> waiters() {
    return waiters;
  }

  /** Gives those who wait for a forgotten account the one in its place. */
  void renew(UnaryOperator<Waiter> renewed) {
    if (waiters.stream().anyMatch(waiter -> waiter.payerAccounts().isStale())) {
      List<Waiter> all = waiters.stream().map(renewed).toList();
      waiters.clear();
      waiters.addAll(all);
    }
  }

  /** Whether the books may be asked for the one in front. */
  boolean mayAsk(long nowNanos) {
    return !callPending && !waiters.isEmpty() && nowNanos - notBeforeNanos >= 0;
  }

  void beginCall() {
    callPending = true;
  }

  /** An answer came; the next question may follow from then on. */
  void callEnded(long notBefore) {
    callPending = false;
    notBeforeNanos = notBefore;
  }

  boolean isDone() {
    return waiters.isEmpty() && !callPending;
  }
}
