package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement.How;
import dev.tollgate.core.money.MicroUsd;
import java.util.concurrent.Executor;

/**
 * A reservation on this node's leases, journaled from its beginning to its one end. One that never
 * began, because something else refused the request, leaves no trace.
 */
final class OpenReservation implements Reservation {
  private final NodeLedger ledger;
  private final Journal journal;
  private final RequestId request;
  private final Purse purse;
  private final long most;
  private final Executor loop;
  private boolean begun;
  private boolean ended;

  OpenReservation(
      NodeLedger ledger,
      Journal journal,
      RequestId request,
      Purse purse,
      long most,
      Executor loop) {
    this.ledger = ledger;
    this.journal = journal;
    this.request = request;
    this.purse = purse;
    this.most = most;
    this.loop = loop;
  }

  @Override
  public void begin() {
    assert !begun && !ended;
    begun = true;
    Payer payer = purse.payer();
    journal.write(
        new JournalRecord.Reserve(
            request, payer.org(), payer.key(), purse.held(), new MicroUsd(most)));
  }

  @Override
  public void progress(MicroUsd cost, Tokens tokens) {
    assert begun && !ended;
    journal.write(new JournalRecord.Progress(request, cost, tokens));
  }

  @Override
  public void settle(MicroUsd cost, Tokens tokens, How how, byte[] row, Runnable durable) {
    assert begun;
    end();
    purse.spend(most, cost.value());
    Payer payer = purse.payer();
    journal.settle(
        new Settlement(
            request,
            payer.org(),
            payer.key(),
            purse.held(),
            new MicroUsd(most),
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
    purse.putBack(most);
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
