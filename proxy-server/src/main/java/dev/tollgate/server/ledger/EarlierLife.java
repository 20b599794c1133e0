package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Recovery;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.JournalReader.Entry;
import dev.tollgate.server.ledger.JournalReader.Place;
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
 * What one of the node's earlier processes left in its journal: charges that may not be in the
 * books. They are read from the disk as they are asked for, however many they are.
 */
public final class EarlierLife implements Charges, AutoCloseable {
  private final Holder holder;
  private final SortedMap<Long, SegmentName> segments;
  private final JournalReader reader;
  private final long end;
  private Recovery recovery = new Recovery();
  private final Deque<Settlement> pending = new ArrayDeque<>();
  private boolean readWhole;
  private long backlog;

  private EarlierLife(
      Holder holder,
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
   * Reads everything once, to know that it is whole. A torn tail is left out.
   *
   * @param sorted all segments of some lives; of the first maybe the later ones only
   */
  static List<EarlierLife> read(Disk disk, UUID node, List<SegmentName> sorted) throws IOException {
    List<EarlierLife> lives = new ArrayList<>();
    SortedMap<Long, SegmentName> segments = new TreeMap<>();
    Holder holder = null;
    for (SegmentName name : sorted) {
      Holder its = holder(disk, node, name);
      if (holder != null && !its.equals(holder)) {
        lives.add(read(disk, holder, segments));
        segments = new TreeMap<>();
      }
      holder = its;
      segments.put(name.id(), name);
    }
    if (holder != null) {
      lives.add(read(disk, holder, segments));
    }
    return lives;
  }

  private static EarlierLife read(Disk disk, Holder holder, SortedMap<Long, SegmentName> segments)
      throws IOException {
    LongFunction<Optional<SegmentName>> byId = id -> Optional.ofNullable(segments.get(id));
    Place start = Place.startOf(segments.firstKey());
    try (JournalReader reader = new JournalReader(disk, byId, start)) {
      long charges = countCharges(reader);
      Place end = reader.place();
      if (reader.wasDurableBehind(end.expected())) {
        SegmentName next = segments.get(end.segment() + 1);
        throw new DamagedJournalException(
            disk.path(String.valueOf(segments.get(end.segment()))),
            end.at(),
            "record "
                + end.expected()
                + " was on the disk and is not readable"
                + (next == null ? "" : ", nor is it at the start of " + next));
      }
      var again = new JournalReader(disk, byId, start);
      return new EarlierLife(holder, segments, again, end.expected(), charges);
    }
  }

  /** Who wrote it; its charges spend this holder's leases. */
  public Holder holder() {
    return holder;
  }

  @Override
  public List<Settlement> unbooked(int max) {
    try {
      while (pending.size() < max && !readWhole) {
        readOn();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return pending.stream().limit(max).toList();
  }

  @Override
  public void booked(int count) {
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

  private void readOn() throws IOException {
    Optional<Entry> next = reader.next();
    if (next.isEmpty() || reader.place().expected() > end) {
      readWhole = true;
      pending.addAll(recovery.crashed());
      recovery = new Recovery(); // it knows every request of the life, and other lives follow
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

  private static Holder holder(Disk disk, UUID node, SegmentName name) throws IOException {
    Holder holder = JournalReader.header(disk, name).holder();
    if (!holder.node().equals(node)) {
      throw new DamagedJournalException(
          disk.path(name.toString()), 0, "it belongs to node " + holder.node());
    }
    return holder;
  }
}
