package dev.tollgate.core.ledger;

import dev.tollgate.core.id.RequestId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Journal in memory that loses in a crash what was not synced, from any position on. Its disk may
 * be full: records without room wait, unsynced.
 */
final class SimulatedJournal implements Journal {
  /** Records for which the disk has room while others do not fill it. */
  static final int ROOM = 1_000_000;

  private final List<JournalRecord> records = new ArrayList<>();
  private final Map<RequestId, Runnable> completions = new HashMap<>();
  private final Deque<Settlement> unsettled = new ArrayDeque<>();
  private final Set<RequestId> running = new HashSet<>();
  private int durable;
  private int room = ROOM;
  private final SimulatedWorld world;

  SimulatedJournal(SimulatedWorld world) {
    this.world = world;
  }

  @Override
  public boolean admits() {
    return world.is(Mutant.ADMITS_ON_A_FULL_DISK) || hasRoomForOneMore();
  }

  /** True if the disk has room to settle all running requests and one more. */
  boolean hasRoomForOneMore() {
    return room - (records.size() - durable) > running.size();
  }

  /** Sets the number of further records for which the disk has room. */
  void room(int free) {
    room = free;
  }

  @Override
  public void write(JournalRecord record) {
    records.add(record);
    switch (record) {
      case JournalRecord.Reserve reserve -> running.add(reserve.request());
      case JournalRecord.Release release -> running.remove(release.request());
      case JournalRecord.Settle settle -> running.remove(settle.settlement().request());
      case JournalRecord.Progress _ -> {}
    }
  }

  @Override
  public void settle(Settlement settlement, Executor loop, Runnable done) {
    write(new JournalRecord.Settle(settlement));
    if (world.is(Mutant.ACKNOWLEDGES_BEFORE_THE_SYNC)) {
      loop.execute(done);
    } else {
      completions.put(settlement.request(), () -> loop.execute(done));
    }
  }

  /** Makes durable what the disk has room for. */
  void sync() {
    int end = Math.min(records.size(), durable + room);
    room -= end - durable;
    for (JournalRecord record : records.subList(durable, end)) {
      if (record instanceof JournalRecord.Settle(Settlement settlement)) {
        unsettled.add(settlement);
        complete(settlement.request());
      }
    }
    durable = end;
    if (world.is(Mutant.ACKNOWLEDGES_WHAT_FOUND_NO_ROOM)) {
      List.copyOf(completions.keySet()).forEach(this::complete);
    }
  }

  private void complete(RequestId request) {
    Runnable completion = completions.remove(request);
    if (completion != null) {
      completion.run();
    }
  }

  /**
   * Returns what a reader finds after a power failure: all synced records, and some of the others.
   */
  List<JournalRecord> afterCrash(Random random) {
    int written = Math.min(records.size() - durable, room);
    int kept = durable + random.nextInt(written + 1);
    return List.copyOf(records.subList(0, kept));
  }

  @Override
  public List<Settlement> unsettled(int max) {
    return unsettled.stream().limit(max).toList();
  }

  @Override
  public void settled(int count) {
    for (int i = 0; i < count; i++) {
      unsettled.remove();
    }
  }

  @Override
  public long backlog() {
    return unsettled.size();
  }
}
