package dev.tollgate.server.tidy;

import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who reads the clock on the wall, and what for. It may step at any time (row D10), so no timer and
 * no budget window hangs on it: those have the monotonic clock, and the books' time.
 */
final class WallClocks {
  private static final Map<String, String> MAY =
      Map.ofEntries(
          Map.entry("server/ops/AdminHandler", "the names of operators' requests"),
          Map.entry(
              "server/oauth/AccessTokens", "claims that others check, and whether a token expired"),
          Map.entry("server/keys/KeyProbe", "a claim that others check"),
          Map.entry(
              "server/ledger/LeaseClient",
              "whether the machine slept, which the other clock does not tell"),
          Map.entry(
              "server/ledger/Settler", "how old the oldest unbooked charge is, for the operator"),
          Map.entry("server/wiring/LedgerService", "how long settled journals are kept"),
          Map.entry("server/wiring/AcceptRollback", "the same"),
          Map.entry("server/wiring/JobWorkers", "how old jobs are, for pauses and metrics"),
          Map.entry(
              "server/maintenance/StoreMaintenance",
              "whether lost nodes were silent, across a machine's sleep"),
          Map.entry("server/wiring/WebhookModule", "the time in signatures, which receivers check"),
          Map.entry("server/warmup/Warmup", "requests that no client sent"),
          Map.entry("server/postgres/backup/StoreExport", "the date in an export"),
          Map.entry("server/wiring/StorageModule", "when URLs expire, which others check too"));

  private static final Set<String> READING =
      Set.of(
          "java/lang/System.currentTimeMillis",
          "java/time/Clock.systemUTC",
          "java/time/Clock.systemDefaultZone",
          "java/time/InstantSource.system");

  private WallClocks() {}

  static List<String> violations(Collection<ClassModel> classes) {
    Set<String> found = new TreeSet<>();
    for (ClassModel model : classes) {
      String name = model.thisClass().asInternalName().replace("dev/tollgate/", "");
      String outer = name.split("\\$", 2)[0];
      if (outer.startsWith("server/cli/") || MAY.containsKey(outer)) {
        continue; // a command lasts for a moment
      }
      for (PoolEntry entry : model.constantPool()) {
        if (entry instanceof MemberRefEntry member && reads(member)) {
          found.add(outer + " must not read the clock on the wall: " + display(member));
        }
      }
    }
    return List.copyOf(found);
  }

  private static boolean reads(MemberRefEntry member) {
    return READING.contains(display(member)) || isNow(member);
  }

  /** {@code now()} and {@code now(zone)} of java.time; with a clock passed in it is fine. */
  private static boolean isNow(MemberRefEntry member) {
    return member.owner().asInternalName().startsWith("java/time/")
        && member.name().equalsString("now")
        && !member.type().stringValue().startsWith("(Ljava/time/Clock;)");
  }

  private static String display(MemberRefEntry member) {
    return member.owner().asInternalName() + "." + member.name().stringValue();
  }
}
