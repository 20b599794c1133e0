package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Ledger.ReserveResult;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * FIFO queue of one key's requests that wait for a grant, with the state of the grant call for the
 * first of them. Confined to the ledger's thread.
 */
final class GrantQueue {
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private boolean callPending;
  private long notBeforeNanos;

  /**
   * A request for which this node's leases do not suffice.
   *
   * @param sinceNanos when the request began to wait
   * @param sinceCall the number of the first call after that
   */
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

  /** Replaces waiters whose accounts were forgotten. */
  void renew(UnaryOperator<Waiter> renewed) {
    if (waiters.stream().anyMatch(waiter -> waiter.payerAccounts().isStale())) {
      List<Waiter> all = waiters.stream().map(renewed).toList();
      waiters.clear();
      waiters.addAll(all);
    }
  }

  /** True if a grant call for the first waiter may begin now. */
  boolean mayCall(long nowNanos) {
    return !callPending && !waiters.isEmpty() && nowNanos - notBeforeNanos >= 0;
  }

  void beginCall() {
    callPending = true;
  }

  /** Ends the call; the next one may begin from {@code notBefore} on. */
  void callEnded(long notBefore) {
    callPending = false;
    notBeforeNanos = notBefore;
  }

  boolean isDone() {
    return waiters.isEmpty() && !callPending;
  }
}
