package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.server.settings.LedgerSettings.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Crashes at any operation of a disk that keeps any part of what was not forced: everything
 * acknowledged is charged, nothing is invented, and a torn tail is accepted.
 */
class JournalCrashTest {
  private static final int SEEDS = Integer.getInteger("tollgate.seeds", 150);
  private static final int EPOCHS = 5;
  private static final int STEPS = 400;

  @Test
  void whatWasAcknowledgedSurvivesThePowerCut() throws Exception {
    int acknowledged = 0;
    for (long seed : seeds()) {
      acknowledged += crashAgainAndAgain(seed, new SimulatedDisk(true), Durability.FSYNC, true);
    }
    assertThat(acknowledged).as("the property is not empty").isGreaterThan(SEEDS);
  }

  @Test
  void whatWasAcknowledgedWithoutSyncSurvivesTheProcess() throws Exception {
    for (long seed : seeds()) {
      crashAgainAndAgain(seed, new SimulatedDisk(true), Durability.PROCESS, false);
    }
  }

  @Test
  void aRolledBackStoreGetsWhatItLacksFromAllEpochs() throws Exception {
    for (long seed : seeds()) {
      Random random = new Random(seed);
      SimulatedDisk disk = new SimulatedDisk(true);
      CrashingNode node = new CrashingNode(disk, Durability.FSYNC, random, CrashingNode.ALL);
      try {
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
          if (random.nextBoolean()) {
            node.runAndStop(random.nextInt(STEPS));
          } else {
            disk.crashAfter(random.nextInt(200));
            node.run(STEPS);
            disk.powerCycle(random);
          }
          switch (random.nextInt(4)) {
            case 0 -> node.backUp();
            case 1 -> node.restore();
            default -> {}
          }
        }
        node.restore();
        node.start();
      } catch (Exception | AssertionError e) {
        throw failure(seed, "", e);
      }
    }
  }

  @Test
  void everyOperationOfAnEpochMayCrash() throws Exception {
    long seed = new Random().nextLong();
    for (int operations = 0; operations < 400; operations++) {
      Random random = new Random(seed);
      SimulatedDisk disk = new SimulatedDisk(true);
      CrashingNode node = new CrashingNode(disk, Durability.FSYNC, random);
      try {
        disk.crashAfter(operations);
        node.run(STEPS);
        disk.powerCycle(random);
        node.start();
      } catch (Exception | AssertionError e) {
        throw failure(seed, "crash after " + operations + " operations", e);
      }
    }
  }

  /** Makes the node a mutant that acknowledges charges before they are durable. */
  @Test
  void aDiskThatDoesNotForceIsDetected() {
    assertThatThrownBy(
            () -> {
              for (long seed : seeds()) {
                crashAgainAndAgain(seed, new SimulatedDisk(false), Durability.FSYNC, true);
              }
            })
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void acknowledgingBeforeTheSyncIsDetected() {
    assertThatThrownBy(
            () -> {
              for (long seed : seeds()) {
                crashAgainAndAgain(seed, new SimulatedDisk(true), Durability.PROCESS, true);
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("fails with");
  }

  @Test
  void aFlippedByteInWhatWasDurableIsRefused() throws Exception {
    for (long seed : seeds()) {
      Random random = new Random(seed);
      SimulatedDisk disk = new SimulatedDisk(true);
      CrashingNode node = new CrashingNode(disk, Durability.FSYNC, random);
      node.runAndStop(STEPS);
      List<int[]> places = durableBytes(disk);
      if (places.isEmpty()) {
        continue;
      }
      int[] place = places.get(random.nextInt(places.size()));
      String file = journals(disk).get(place[0]);
      disk.bytes(file)[place[1]] ^= (byte) (1 << random.nextInt(8));
      try {
        assertThatThrownBy(node::start)
            .isInstanceOf(DamagedJournalException.class)
            .hasMessageContaining(file)
            .hasMessageContaining("at byte");
      } catch (AssertionError e) {
        throw failure(seed, "byte " + place[1] + " of " + file, e);
      }
    }
  }

  private static int crashAgainAndAgain(
      long seed, SimulatedDisk disk, Durability durability, boolean powerCut) {
    Random random = new Random(seed);
    CrashingNode node = new CrashingNode(disk, durability, random);
    try {
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        disk.crashAfter(random.nextInt(200));
        node.run(STEPS);
        if (powerCut) {
          disk.powerCycle(random);
        } else {
          disk.restartProcess();
        }
      }
      node.start();
      return node.acknowledged();
    } catch (Exception | AssertionError e) {
      throw failure(seed, "", e);
    }
  }

  /**
   * Returns bytes of frames that a later group records as durable: not zero, and not in the last
   * group.
   */
  private static List<int[]> durableBytes(SimulatedDisk disk) {
    List<int[]> places = new ArrayList<>();
    List<String> files = journals(disk);
    for (int file = 0; file < files.size(); file++) {
      byte[] bytes = disk.bytes(files.get(file));
      for (int at = 0; at < bytes.length; at++) {
        if (bytes[at] != 0) {
          places.add(new int[] {file, at});
        }
      }
    }
    if (places.isEmpty()) {
      return places;
    }
    int[] last = places.getLast();
    int lastGroup = last[1] / Frames.SECTOR_BYTES * Frames.SECTOR_BYTES;
    places.removeIf(place -> place[0] == last[0] && place[1] >= lastGroup);
    return places;
  }

  private static List<String> journals(SimulatedDisk disk) {
    return disk.list().stream()
        .map(Disk.FileEntry::name)
        .filter(name -> name.endsWith(".journal"))
        .sorted()
        .toList();
  }

  private static List<Long> seeds() {
    Long only = Long.getLong("tollgate.seed");
    return only != null ? List.of(only) : new Random().longs(SEEDS).boxed().toList();
  }

  private static AssertionError failure(long seed, String where, Throwable e) {
    return new AssertionError(
        "fails with -Dtollgate.seed=" + seed + " " + where + ": " + e.getMessage(), e);
  }
}
