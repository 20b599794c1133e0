package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank.Holder;
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

/**
 * The journal's directory: whose it is, and what the node's earlier life left there. To be opened
 * by the one process that holds the data directory's lock.
 */
public final class JournalDirectory {
  private static final String NODE = "node";
  private static final int UUID_CHARACTERS = 36;

  private final Disk disk;
  private final JournalOptions options;
  private final Background background;
  private final Archive archive;
  private final UUID node;
  private final long firstId;
  private final Optional<EarlierLife> earlier;

  private JournalDirectory(
      Disk disk,
      JournalOptions options,
      InstantSource clock,
      Background background,
      UUID node,
      List<SegmentName> names)
      throws IOException {
    this.disk = disk;
    this.options = options;
    this.background = background;
    this.archive = new Archive(disk, options.retention(), clock);
    this.node = node;
    this.firstId = names.stream().mapToLong(SegmentName::id).max().orElse(0) + 1;
    this.earlier = EarlierLife.read(disk, node, unsettled(names));
  }

  /**
   * Opens {@code journal} in a data directory and reads it.
   *
   * @throws DamagedJournalException if what was on the disk is not what is there
   */
  public static JournalDirectory open(Path dataDir, JournalOptions options, InstantSource clock)
      throws IOException {
    return open(LocalDisk.at(dataDir.resolve("journal")), options, clock, Background::threads);
  }

  static JournalDirectory open(
      Disk disk, JournalOptions options, InstantSource clock, Supplier<Background> background)
      throws IOException {
    UUID node = node(disk);
    List<SegmentName> names = new ArrayList<>();
    for (Disk.Listed file : disk.list()) {
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

  /**
   * What must be booked before the books begin the node's next epoch; empty if there is nothing.
   */
  public Optional<EarlierLife> earlier() {
    return earlier;
  }

  /**
   * Begins to write. Everything of the earlier life must be booked; it is not sent again.
   *
   * @param holder this life, as the books know it
   * @param fatal hears of an error after which the process must end
   */
  public LocalJournal beginLife(Holder holder, Consumer<Throwable> fatal) throws IOException {
    if (!holder.node().equals(node)) {
      throw new IllegalArgumentException("the journal belongs to " + node + ", not to " + holder);
    }
    if (earlier.isPresent()) {
      EarlierLife life = earlier.get();
      if (life.backlog() > 0) {
        throw new IllegalStateException(life.backlog() + " charges are not booked");
      }
      life.close();
      archive.retire(life.segments());
    }
    archive.prune();
    var supply = new SegmentSupply(disk, holder, firstId, options.segmentBytes(), background);
    return new LocalJournal(disk, supply, archive, background, options, fatal);
  }

  /**
   * From the oldest unsettled one on: renaming is not atomic over several files, and what ended a
   * request may stand in a later file than what began it.
   */
  private static List<SegmentName> unsettled(List<SegmentName> sorted) {
    return sorted.stream().dropWhile(name -> name.state() == State.SETTLED).toList();
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
