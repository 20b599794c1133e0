package dev.tollgate.core.ledger;

import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Calls of a simulated node that timed out, to be committed by the ledger store later. */
final class TimedOutCalls {
  private final SimulatedWorld world;
  private final List<Call> calls = new ArrayList<>();

  /** A call to the ledger store. */
  interface Call {
    void run() throws LedgerStoreException;
  }

  TimedOutCalls(SimulatedWorld world) {
    this.world = world;
  }

  void add(Call call) {
    calls.add(call);
  }

  /** Adds a call if its outcome is that it timed out. */
  void addIf(CallOutcome fate, Call call) {
    if (fate == CallOutcome.TIMED_OUT) {
      calls.add(call);
    }
  }

  /** Commits one of the calls, unless the store is down. */
  void commitOne(Random random) throws LedgerStoreException {
    if (!calls.isEmpty() && !world.isDown()) {
      calls.remove(random.nextInt(calls.size())).run();
    }
  }

  void commitAll() throws LedgerStoreException {
    for (Call call : calls) {
      call.run();
    }
    calls.clear();
  }
}
