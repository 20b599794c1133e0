package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import java.util.concurrent.Executor;

/**
 * Implementation of a reservation from this node's leases, journaled from {@link #begin} to its
 * end. A reservation that never began, because something else refused the request, is not
 * journaled.
 */
final class OpenReservation implements Reservation {
  private final NodeLedger ledger;
  private final Journal journal;
  private final RequestId request;
  private final PayerAccounts payerAccounts;
  private final long amount;
  private final Executor loop;
  private boolean begun;
  private boolean ended;

  OpenReservation(
      NodeLedger ledger,
      Journal journal,
      RequestId request,
      PayerAccounts payerAccounts,
      long amount,
      Executor loop) {
    this.ledger = ledger;
    this.journal = journal;
    this.request = request;
    this.payerAccounts = payerAccounts;
    this.amount = amount;
    this.loop = loop;
  }

  @Override
  public void begin() {
    assert !begun && !ended;
    begun = true;
    Payer payer = payerAccounts.payer();
    journal.write(
        new JournalRecord.Reserve(
            request, payer.org(), payer.key(), payerAccounts.scopeKinds(), new MicroUsd(amount)));
  }

  @Override
  public void progress(MicroUsd cost, Tokens tokens) {
    assert begun && !ended;
    journal.write(new JournalRecord.Progress(request, cost, tokens));
  }

  @Override
  public void settle(
      MicroUsd cost, Tokens tokens, SettlementKind how, byte[] row, Runnable durable) {
    assert begun;
    end();
    payerAccounts.spend(amount, cost.value());
    Payer payer = payerAccounts.payer();
    journal.settle(
        new Settlement(
            request,
            payer.org(),
            payer.key(),
            payerAccounts.scopeKinds(),
            new MicroUsd(amount),
            cost,
            tokens,
            how,
            row),
        loop,
        durable);
    ledger.freed();
  }

  @Override
  public void release() {
    end();
    payerAccounts.putBack(amount);
    if (begun) {
      journal.write(new JournalRecord.Release(request));
    }
    ledger.freed();
  }

  private void end() {
    if (ended) {
      throw new IllegalStateException(request + " has ended before");
    }
    ended = true;
  }
}
