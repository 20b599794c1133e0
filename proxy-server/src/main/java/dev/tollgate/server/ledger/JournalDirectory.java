package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.server.ledger.SegmentName.State;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The journal's directory: whose it is, and what the node's earlier life left there. To be opened
 * by the one process that holds the data directory's lock.
 */
public final class JournalDirectory {
  private static final String NODE = "node";
  private static final int UUID_CHARACTERS = 36;

  private final Disk disk;
  private final JournalOptions options;
  private final JournalThreads background;
  private final Archive archive;
  private final UUID node;
  private final List<SegmentName> segments;
  private final Optional<LedgerCheckpointFile> checkpoint;
  private @Nullable List<PreviousEpochJournal> previousEpochs;
  private long firstId;

  private JournalDirectory(
      Disk disk,
      JournalOptions options,
      InstantSource clock,
      JournalThreads background,
      UUID node,
      List<SegmentName> names)
      throws IOException {
    this.disk = disk;
    this.options = options;
    this.background = background;
    this.archive = new Archive(disk, options.retention(), clock);
    this.node = node;
    this.segments = names;
    this.checkpoint = LedgerCheckpointFile.read(disk);
  }

  /** Opens {@code journal} in a data directory. */
  public static JournalDirectory open(Path dataDir, JournalOptions options, InstantSource clock)
      throws IOException {
    return open(LocalDisk.at(dataDir.resolve("journal")), options, clock, JournalThreads::create);
  }

  static JournalDirectory open(
      Disk disk, JournalOptions options, InstantSource clock, Supplier<JournalThreads> background)
      throws IOException {
    UUID node = node(disk);
    List<SegmentName> names = new ArrayList<>();
    for (Disk.FileEntry file : disk.list()) {
      Optional<SegmentName> name = SegmentName.of(file.name());
      if (name.isPresent() && name.get().state() == State.NEW) {
        disk.delete(file.name());
      } else {
        name.ifPresent(names::add);
      }
    }
    names.sort(Comparator.naturalOrder());
    return new JournalDirectory(disk, options, clock, background.get(), node, names);
  }

  /** The node, for as long as this directory lives. */
  public UUID node() {
    return node;
  }

  /** Whether the books know less of this node than they knew, or are others. */
  public boolean isAheadOf(NodeCheckpoint checkpointInStore) {
    return checkpoint.isPresent()
        && (checkpoint.get().keptFrom() > checkpointInStore.keptFrom()
            || checkpoint.get().storeIdentity().differsFrom(checkpointInStore.store()));
  }

  /** Which segments books with this mark need again. */
  public ReplayRange replayRange(NodeCheckpoint checkpointInStore) {
    long next =
        Math.max(
            segments.isEmpty() ? 1 : segments.getLast().id() + 1,
            checkpoint.map(LedgerCheckpointFile::keptFrom).orElse(1L));
    long availableFrom = next;
    for (SegmentName name : segments.reversed()) {
      if (name.id() != availableFrom - 1) {
        break;
      }
      availableFrom = name.id();
    }
    // Where no life was ever told anything, there is nothing that the books could lack.
    long neededFrom = checkpoint.isPresent() ? Math.min(checkpointInStore.keptFrom(), next) : next;
    return new ReplayRange(neededFrom, availableFrom, next);
  }

  /**
   * Reads what must be booked before the books begin the node's next epoch: what was not settled,
   * and what books with this mark may lack although it was.
   *
   * @throws LedgerRolledBackException if some of that is gone
   * @throws DamagedJournalException if what was on the disk is not what is there
   */
  public List<PreviousEpochJournal> previousEpochs(NodeCheckpoint checkpointInStore)
      throws IOException {
    ReplayRange range = replayRange(checkpointInStore);
    if (range.isIncomplete()) {
      throw new LedgerRolledBackException(range);
    }
    long from = Math.min(range.neededFrom(), firstUnsettled(range.next()));
    firstId = Math.max(range.next(), checkpointInStore.keptFrom());
    List<PreviousEpochJournal> journals =
        PreviousEpochJournal.read(
            disk, node, segments.stream().filter(name -> name.id() >= from).toList());
    previousEpochs = journals;
    return journals;
  }

  /** The first segment that the next life writes. */
  public long firstId() {
    return firstId;
  }

  /**
   * Begins to write. Everything of the earlier lives must be booked, and the books must have been
   * told so; it is not sent again.
   *
   * @param holder this life, as the books know it
   * @param storeIdentity those that it begins in
   * @param fatal hears of an error after which the process must end
   */
  public LocalJournal beginEpoch(
      LeaseHolder holder, LedgerStoreIdentity storeIdentity, Consumer<Throwable> fatal)
      throws IOException {
    if (!holder.node().equals(node)) {
      throw new IllegalArgumentException("the journal belongs to " + node + ", not to " + holder);
    }
    if (previousEpochs == null) {
      throw new IllegalStateException("nobody read what the earlier lives owe");
    }
    for (PreviousEpochJournal journal : previousEpochs) {
      if (journal.backlog() > 0) {
        throw new IllegalStateException(journal.backlog() + " charges are not booked");
      }
      journal.close();
      archive.retire(journal.segments());
    }
    archive.checkpoint(new LedgerCheckpointFile(firstId, storeIdentity));
    var supply =
        new SegmentSupply(disk, archive, holder, firstId, options.segmentBytes(), background);
    return new LocalJournal(disk, supply, archive, background, options, fatal);
  }

  /**
   * All from it on are read: renaming is not atomic over several files, and what ended a request
   * may stand in a later file than what began it.
   */
  private long firstUnsettled(long otherwise) {
    return segments.stream()
        .filter(name -> name.state() != State.SETTLED)
        .findFirst()
        .map(SegmentName::id)
        .orElse(otherwise);
  }

  private static UUID node(Disk disk) throws IOException {
    if (disk.exists(NODE)) {
      try (Disk.File file = disk.open(NODE)) {
        ByteBuffer text = ByteBuffer.allocate(UUID_CHARACTERS);
        file.read(text, 0);
        return UUID.fromString(StandardCharsets.US_ASCII.decode(text.flip()).toString());
      } catch (IllegalArgumentException e) {
        throw new DamagedJournalException(disk.path(NODE), 0, "it does not hold a node's uuid");
      }
    }
    UUID node = UUID.randomUUID();
    String made = NODE + ".new";
    try (Disk.File file = disk.create(made)) {
      file.write(StandardCharsets.US_ASCII.encode(node + "\n"), 0);
      file.force();
    }
    disk.rename(made, NODE);
    disk.forceDirectory();
    return node;
  }
}
