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
 * Directory of the node's ledger journal, with the node's id and the segments of previous epochs.
 * Only the process that holds the data directory's lock opens it.
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

  /** Returns the node's id, which never changes for a directory. */
  public UUID node() {
    return node;
  }

  /** True if the ledger store has less of this node than it acknowledged, or is another one. */
  public boolean isAheadOf(NodeCheckpoint checkpointInStore) {
    return checkpoint.isPresent()
        && (checkpoint.get().keptFrom() > checkpointInStore.keptFrom()
            || checkpoint.get().storeIdentity().differsFrom(checkpointInStore.store()));
  }

  /** Returns the segments that a store with this checkpoint needs again. */
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
    // Without a checkpoint file the store never acknowledged anything that it could lack.
    long neededFrom = checkpoint.isPresent() ? Math.min(checkpointInStore.keptFrom(), next) : next;
    return new ReplayRange(neededFrom, availableFrom, next);
  }

  /**
   * Opens the journals that must be settled before the node's next epoch begins: what was not
   * settled, and what a store with this checkpoint may have lost.
   *
   * @throws LedgerRolledBackException if segments that the store needs are deleted
   * @throws DamagedJournalException if durable records cannot be read
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

  /** Returns the first segment of the next epoch. */
  public long firstId() {
    return firstId;
  }

  /**
   * Begins to write in a new epoch. All charges of previous epochs must be settled and checkpointed
   * in the store; they are not sent again.
   *
   * @param holder the new epoch
   * @param storeIdentity the store in which the epoch begins
   * @param fatal called with an error after which the process must end
   */
  public LocalJournal beginEpoch(
      LeaseHolder holder, LedgerStoreIdentity storeIdentity, Consumer<Throwable> fatal)
      throws IOException {
    if (!holder.node().equals(node)) {
      throw new IllegalArgumentException("the journal belongs to " + node + ", not to " + holder);
    }
    if (previousEpochs == null) {
      throw new IllegalStateException("the journals of the previous epochs were not read");
    }
    for (PreviousEpochJournal journal : previousEpochs) {
      if (journal.backlog() > 0) {
        throw new IllegalStateException(journal.backlog() + " charges are not settled");
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
   * Returns the first segment that is not settled. Recovery reads all segments from it on, because
   * renaming is not atomic over several files, and a request's records may be in several segments.
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
        throw new DamagedJournalException(disk.path(NODE), 0, "it does not contain a node's uuid");
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
