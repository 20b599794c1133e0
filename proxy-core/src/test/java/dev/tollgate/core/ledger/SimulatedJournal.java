package dev.tollgate.core.ledger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;

/** A journal in memory that loses at a crash what was not synced, from any place on. */
final class SimulatedJournal implements Journal {
  private final List<JournalRecord> records = new ArrayList<>();
  private final Deque<Runnable> completions = new ArrayDeque<>();
  private final Deque<Settlement> unsynced = new ArrayDeque<>();
  private final Deque<Settlement> unbooked = new ArrayDeque<>();
  private int durable;
  private boolean acknowledgesUnsynced;

  @Override
  public boolean admits() {
    return true;
  }

  @Override
  public void write(JournalRecord record) {
    records.add(record);
  }

  @Override
  public void settle(Settlement settlement, Executor loop, Runnable done) {
    records.add(new JournalRecord.Settle(settlement));
    if (acknowledgesUnsynced) {
      loop.execute(done);
    } else {
      completions.add(() -> loop.execute(done));
    }
    unsynced.add(settlement);
  }

  /** The mutant: charges are told before they are durable. */
  void acknowledgeUnsynced() {
    acknowledgesUnsynced = true;
  }

  void sync() {
    durable = records.size();
    unbooked.addAll(unsynced);
    unsynced.clear();
    while (!completions.isEmpty()) {
      completions.poll().run();
    }
  }

  /** What a reader finds after the power failed: all that was synced, and some of what was not. */
  List<JournalRecord> afterCrash(Random random) {
    int kept = durable + random.nextInt(records.size() - durable + 1);
    return List.copyOf(records.subList(0, kept));
  }

  @Override
  public List<Settlement> unbooked(int max) {
    return unbooked.stream().limit(max).toList();
  }

  @Override
  public void booked(int count) {
    for (int i = 0; i < count; i++) {
      unbooked.remove();
    }
  }

  @Override
  public long backlog() {
    return unbooked.size();
  }
}
