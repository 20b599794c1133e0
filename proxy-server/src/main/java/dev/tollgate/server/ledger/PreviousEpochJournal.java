package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Recovery;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.JournalReader.Entry;
import dev.tollgate.server.ledger.JournalReader.Position;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongFunction;

/**
 * Read-only journal of a previous epoch of the node, as a source of charges that may not be
 * settled. Charges are read from the disk on demand, so memory does not grow with their number.
 */
public final class PreviousEpochJournal implements ChargeSource, AutoCloseable {
  private final LeaseHolder holder;
  private final SortedMap<Long, SegmentName> segments;
  private final JournalReader reader;
  private final long end;
  private Recovery recovery = new Recovery();
  private final Deque<Settlement> pending = new ArrayDeque<>();
  private boolean fullyRead;
  private long backlog;

  private PreviousEpochJournal(
      LeaseHolder holder,
      SortedMap<Long, SegmentName> segments,
      JournalReader reader,
      long end,
      long backlog) {
    this.holder = holder;
    this.segments = segments;
    this.reader = reader;
    this.end = end;
    this.backlog = backlog;
  }

  /**
   * Opens the journals in the given segments and reads everything once to verify it. A torn tail is
   * ignored.
   *
   * @param sorted all segments of some epochs; of the first epoch possibly only the later ones
   */
  static List<PreviousEpochJournal> read(Disk disk, UUID node, List<SegmentName> sorted)
      throws IOException {
    List<PreviousEpochJournal> journals = new ArrayList<>();
    SortedMap<Long, SegmentName> segments = new TreeMap<>();
    LeaseHolder holder = null;
    for (SegmentName name : sorted) {
      LeaseHolder nextHolder = holder(disk, node, name);
      if (holder != null && !nextHolder.equals(holder)) {
        journals.add(read(disk, holder, segments));
        segments = new TreeMap<>();
      }
      holder = nextHolder;
      segments.put(name.id(), name);
    }
    if (holder != null) {
      journals.add(read(disk, holder, segments));
    }
    return journals;
  }

  private static PreviousEpochJournal read(
      Disk disk, LeaseHolder holder, SortedMap<Long, SegmentName> segments) throws IOException {
    LongFunction<Optional<SegmentName>> byId = id -> Optional.ofNullable(segments.get(id));
    Position start = Position.startOf(segments.firstKey());
    try (JournalReader reader = new JournalReader(disk, byId, start)) {
      long charges = countCharges(reader);
      Position end = reader.position();
      if (reader.wasDurableBehind(end.expected())) {
        SegmentName next = segments.get(end.segment() + 1);
        throw new DamagedJournalException(
            disk.path(String.valueOf(segments.get(end.segment()))),
            end.at(),
            "record "
                + end.expected()
                + " was durable and is not readable"
                + (next == null ? "" : ", nor is it at the start of " + next));
      }
      var again = new JournalReader(disk, byId, start);
      return new PreviousEpochJournal(holder, segments, again, end.expected(), charges);
    }
  }

  /** Returns the holder that wrote the journal; its charges are spent from this holder's leases. */
  public LeaseHolder holder() {
    return holder;
  }

  @Override
  public List<Settlement> unsettled(int max) {
    try {
      while (pending.size() < max && !fullyRead) {
        readNext();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return pending.stream().limit(max).toList();
  }

  @Override
  public void settled(int count) {
    for (int i = 0; i < count; i++) {
      pending.removeFirst();
    }
    backlog -= count;
  }

  @Override
  public long backlog() {
    return backlog;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }

  List<SegmentName> segments() {
    return List.copyOf(segments.values());
  }

  private void readNext() throws IOException {
    Optional<Entry> next = reader.next();
    if (next.isEmpty() || reader.position().expected() > end) {
      fullyRead = true;
      pending.addAll(recovery.crashed());
      recovery = new Recovery(); // frees the memory before other epochs are read
    } else {
      recovery.accept(next.get().record()).ifPresent(pending::add);
    }
  }

  private static long countCharges(JournalReader reader) throws IOException {
    Recovery recovery = new Recovery();
    long charges = 0;
    for (Optional<Entry> next = reader.next(); next.isPresent(); next = reader.next()) {
      if (recovery.accept(next.get().record()).isPresent()) {
        charges++;
      }
    }
    return charges + recovery.crashed().size();
  }

  private static LeaseHolder holder(Disk disk, UUID node, SegmentName name) throws IOException {
    LeaseHolder holder = JournalReader.header(disk, name).holder();
    if (!holder.node().equals(node)) {
      throw new DamagedJournalException(
          disk.path(name.toString()), 0, "it belongs to node " + holder.node());
    }
    return holder;
  }
}
