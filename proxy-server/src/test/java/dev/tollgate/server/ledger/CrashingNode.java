package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/**
 * Node that runs and crashes on one disk, with a ledger store that may be rolled back, and an
 * independent record of what it wrote and what was acknowledged.
 */
final class CrashingNode {
  private static final int SEGMENT_BYTES = 32 * 1024;
  private static final int QUEUED_MAX = 1_000;
  private static final int UNBOOKED_MAX = 6;
  private static final Retention FEW = new Retention(Duration.ofHours(1), 3L * SEGMENT_BYTES);

  /** The simulated disk's files have the oldest possible time. */
  static final Retention ALL = new Retention(Duration.ofDays(100_000), Long.MAX_VALUE);

  private static final int ROW_BYTES_MAX = 1_500;

  private final SimulatedDisk disk;
  private final Random random;
  private final JournalOptions options;
  private final Map<RequestId, Settlement> settled = new HashMap<>();
  private final Map<RequestId, Settlement> charged = new HashMap<>();
  private final Map<RequestId, List<Long>> progress = new HashMap<>();
  private final Set<RequestId> acknowledged = new HashSet<>();
  private final Set<RequestId> released = new HashSet<>();

  /** Released requests after which a later record was acknowledged. */
  private final Set<RequestId> releasedForGood = new HashSet<>();

  private final List<RequestId> running = new ArrayList<>();
  private long epoch;

  /** The node's checkpoint, a row of the store like the charges. */
  private long keptFrom = 1;

  private Map<RequestId, Settlement> backup = Map.of();
  private long keptFromOfBackup = 1;

  CrashingNode(SimulatedDisk disk, Durability durability, Random random) {
    this(disk, durability, random, FEW);
  }

  CrashingNode(SimulatedDisk disk, Durability durability, Random random, Retention retention) {
    this.disk = disk;
    this.random = random;
    this.options =
        new JournalOptions(durability, SEGMENT_BYTES, QUEUED_MAX, UNBOOKED_MAX, retention);
  }

  /** Takes a backup of the store. */
  void backUp() {
    backup = Map.copyOf(settled);
    keptFromOfBackup = keptFrom;
  }

  /** Restores the last backup; the node detects that later. */
  void restore() {
    settled.clear();
    settled.putAll(backup);
    keptFrom = keptFromOfBackup;
  }

  /** Recovers, checks that nothing is missing, and works to its end or a crash. */
  void run(int steps) throws IOException {
    try {
      LocalJournal journal = start();
      for (int i = 0; i < steps; i++) {
        act(journal);
      }
    } catch (SimulatedDisk.Crash e) {
      // The next epoch begins on what the disk kept.
    }
  }

  /** Recovers, works and stops in order. */
  void runAndStop(int steps) throws IOException {
    LocalJournal journal = start();
    for (int i = 0; i < steps; i++) {
      act(journal);
    }
    journal.writeQueued();
    journal.finish();
    journal.close();
  }

  /** Settles what a new epoch finds. */
  LocalJournal start() throws IOException {
    JournalDirectory directory =
        JournalDirectory.open(disk, options, InstantSource.system(), InlineJournalThreads::new);
    for (PreviousEpochJournal earlier :
        directory.previousEpochs(TestRecords.checkpoint(keptFrom))) {
      while (earlier.backlog() > 0) {
        List<Settlement> batch = earlier.unsettled(1 + random.nextInt(5));
        assertThat(batch).isNotEmpty();
        batch.forEach(this::settle);
        earlier.settled(batch.size());
      }
      assertThat(earlier.unsettled(1)).isEmpty();
    }
    assertThat(settled.keySet()).as("acknowledged charges").containsAll(acknowledged);
    assertThat(releasedForGood).as("what was released").noneMatch(settled::containsKey);
    running.clear();
    released.clear();
    var holder = new LeaseHolder(directory.node(), ++epoch, UUID.randomUUID());
    keptFrom = Math.max(keptFrom, directory.firstId());
    return directory.beginEpoch(holder, LedgerStoreIdentity.UNKNOWN, CrashingNode::fatal);
  }

  int acknowledged() {
    return acknowledged.size();
  }

  private static void fatal(Throwable error) {
    if (error instanceof SimulatedDisk.Crash crash) {
      throw crash;
    }
    throw new AssertionError(error);
  }

  private void act(LocalJournal journal) {
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        RequestId request = TestRecords.request();
        running.add(request);
        journal.write(TestRecords.reserve(request));
      }
      case 2 -> {
        if (!running.isEmpty()) {
          RequestId request = running.get(random.nextInt(running.size()));
          long cost = random.nextInt(1_000);
          progress.computeIfAbsent(request, _ -> new ArrayList<>()).add(cost);
          journal.write(TestRecords.progress(request, cost));
        }
      }
      case 3 -> {
        if (!running.isEmpty() && random.nextInt(3) == 0) {
          RequestId request = running.remove(random.nextInt(running.size()));
          released.add(request);
          journal.write(new Release(request));
        }
      }
      case 4, 5 -> {
        if (!running.isEmpty()) {
          settle(journal, running.remove(random.nextInt(running.size())));
        }
      }
      case 6 -> journal.writeQueued();
      default -> {
        if (random.nextInt(4) == 0) {
          List<Settlement> batch = journal.unsettled(1 + random.nextInt(10));
          batch.forEach(this::settle);
          journal.settled(batch.size());
          if (random.nextBoolean()) {
            keptFrom = Math.max(keptFrom, journal.neededFrom());
            journal.checkpointed(keptFrom);
          }
        }
      }
    }
  }

  private void settle(LocalJournal journal, RequestId request) {
    Settlement settlement = TestRecords.charge(request, random, ROW_BYTES_MAX);
    Set<RequestId> before = Set.copyOf(released);
    charged.put(request, settlement);
    journal.settle(
        settlement,
        Runnable::run,
        () -> {
          assertThat(acknowledged.add(request)).as("acknowledged once").isTrue();
          releasedForGood.addAll(before);
        });
  }

  private void settle(Settlement settlement) {
    RequestId request = settlement.request();
    if (settlement.how() == SettlementKind.CRASH) {
      assertThat(progress.getOrDefault(request, List.of())).contains(settlement.cost().value());
    } else {
      Settlement written = charged.get(request);
      assertThat(written != null && TestRecords.same(written, settlement))
          .as("as written")
          .isTrue();
    }
    settled.putIfAbsent(request, settlement);
    Settlement written = charged.get(request);
    if (acknowledged.contains(request) && written != null) {
      assertThat(settled.get(request))
          .as("the settled charge")
          .matches(charge -> TestRecords.same(written, charge));
    }
  }
}
