package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.JournalReader.Entry;
import dev.tollgate.server.ledger.JournalReader.Position;
import dev.tollgate.server.ledger.SegmentName.State;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Queue of durable charges for the settler: the oldest in memory, and beyond a bound only a
 * position in the journal, from which they are read back. Filled by the writer, drained by the
 * settler.
 */
final class UnsettledQueue {
  private final Disk disk;
  private final int memoryMax;
  private final Deque<Charge> memory = new ArrayDeque<>();

  /** Number of charges behind those in memory, and the position of the first one to read back. */
  private long onDisk;

  private @Nullable Position position;

  /** Confined to the settler's thread. */
  private @Nullable JournalReader reader;

  /** Charge and the number of its journal segment. */
  record Charge(long segment, Settlement settlement) {}

  UnsettledQueue(Disk disk, int memoryMax) {
    this.disk = disk;
    this.memoryMax = memoryMax;
  }

  /**
   * Appends the charges of groups that are now durable.
   *
   * @param before the position of the first of these groups
   */
  synchronized void add(List<Charge> charges, Position before) {
    if (onDisk == 0 && memory.size() + charges.size() <= memoryMax) {
      memory.addAll(charges);
      return;
    }
    if (onDisk == 0) {
      position = before;
    }
    onDisk += charges.size();
  }

  /** Returns the oldest charges. */
  List<Settlement> oldest(int max) throws IOException {
    readBack(max);
    synchronized (this) {
      List<Settlement> oldest = new ArrayList<>(Math.min(max, memory.size()));
      for (Charge charge : memory) {
        if (oldest.size() == max) {
          break;
        }
        oldest.add(charge.settlement());
      }
      return oldest;
    }
  }

  /** Removes the oldest charges and returns their segments. */
  synchronized List<Long> remove(int count) {
    List<Long> segments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      segments.add(memory.removeFirst().segment());
    }
    return segments;
  }

  synchronized long size() {
    return memory.size() + onDisk;
  }

  /** Returns the first segment to read back from; segments from it on must not be renamed. */
  synchronized long readBackFrom() {
    return position == null ? Long.MAX_VALUE : position.segment();
  }

  private void readBack(int max) throws IOException {
    long wanted;
    Position from;
    synchronized (this) {
      wanted = Math.min(onDisk, max - memory.size());
      from = position;
    }
    if (wanted <= 0 || from == null) {
      return;
    }
    List<Charge> read = new ArrayList<>();
    while (read.size() < wanted) {
      read.add(readOne(from));
    }
    synchronized (this) {
      memory.addAll(read);
      onDisk -= read.size();
      position = onDisk > 0 && reader != null ? reader.position() : null;
      if (position != null) {
        return;
      }
    }
    closeReader();
  }

  private Charge readOne(Position from) throws IOException {
    JournalReader present = reader;
    if (present == null) {
      present = open(from);
    }
    Optional<Charge> next = nextCharge(present);
    if (next.isPresent()) {
      return next.get();
    }
    // The reader may have buffered bytes before the writer wrote them: read again from the disk.
    Position reached = present.position();
    closeReader();
    return nextCharge(open(reached))
        .orElseThrow(
            () ->
                new DamagedJournalException(
                    disk.path(new SegmentName(reached.segment(), State.JOURNAL).toString()),
                    reached.at(),
                    "charges that were written cannot be read back"));
  }

  private static Optional<Charge> nextCharge(JournalReader from) throws IOException {
    for (Optional<Entry> next = from.next(); next.isPresent(); next = from.next()) {
      if (next.get().record() instanceof Settle settle) {
        return Optional.of(new Charge(next.get().segment(), settle.settlement()));
      }
    }
    return Optional.empty();
  }

  private JournalReader open(Position from) throws IOException {
    JournalReader opened = new JournalReader(disk, this::name, from);
    reader = opened;
    return opened;
  }

  /**
   * Returns a segment's name. No segment from {@link #readBackFrom} on is settled, and one that
   * does not exist yet has no charges.
   */
  private Optional<SegmentName> name(long id) {
    SegmentName name = new SegmentName(id, State.JOURNAL);
    return disk.exists(name.toString()) ? Optional.of(name) : Optional.empty();
  }

  private void closeReader() throws IOException {
    JournalReader present = reader;
    reader = null;
    if (present != null) {
      present.close();
    }
  }
}
