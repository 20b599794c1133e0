package dev.tollgate.server.tidy;

import dev.tollgate.server.ops.Bound;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every class that makes something which can grow while others fill it, with what bounds it: an
 * entry of {@link Bound}, or in words why it holds no work of clients.
 */
final class Queues {
  private static final String JUC = "java/util/concurrent/";

  /** What can grow, or holds a queue that can. */
  private static final Set<String> GROWING =
      Set.of(
          "java/util/ArrayDeque",
          "java/util/LinkedList",
          "java/util/PriorityQueue",
          JUC + "ArrayBlockingQueue",
          JUC + "ConcurrentHashMap",
          JUC + "ConcurrentLinkedDeque",
          JUC + "ConcurrentLinkedQueue",
          JUC + "ConcurrentSkipListMap",
          JUC + "CopyOnWriteArrayList",
          JUC + "DelayQueue",
          JUC + "Executors",
          JUC + "ForkJoinPool",
          JUC + "LinkedBlockingDeque",
          JUC + "LinkedBlockingQueue",
          JUC + "LinkedTransferQueue",
          JUC + "PriorityBlockingQueue",
          JUC + "ScheduledThreadPoolExecutor",
          JUC + "ThreadPoolExecutor",
          JUC + "atomic/AtomicReferenceArray",
          "com/github/benmanes/caffeine/cache/Caffeine",
          "io/lettuce/core/RedisClient",
          "io/netty/channel/MultiThreadIoEventLoopGroup",
          "io/netty/util/concurrent/DefaultEventExecutor");

  private static final Map<String, Bound> BOUNDED =
      Map.ofEntries(
          Map.entry("core/ledger/Line", Bound.LEDGER_WAITING),
          Map.entry("core/ledger/NodeLedger", Bound.LEDGER_WAITING),
          Map.entry("core/limit/RefusalCache", Bound.REFUSAL_CACHE),
          Map.entry("core/tenant/KeyCache", Bound.KEY_CACHE),
          Map.entry("core/upstream/EndpointPool", Bound.UPSTREAM_PENDING),
          Map.entry("core/upstream/Lease", Bound.REQUEST_BODY),
          Map.entry("server/ledger/LocalJournal", Bound.JOURNAL_QUEUE),
          Map.entry("server/ledger/UnbookedQueue", Bound.JOURNAL_IN_MEMORY),
          Map.entry("server/ops/BoundedOffload", Bound.OFFLOAD_QUEUE),
          Map.entry("server/ops/RequestLog", Bound.REQUEST_LOG),
          Map.entry("server/ops/RingAppender", Bound.LOG_RING),
          Map.entry("server/ops/Shedder", Bound.REQUESTS),
          Map.entry("server/redis/Client", Bound.REDIS_CALLS),
          Map.entry("server/redis/Deadlines", Bound.REQUESTS),
          Map.entry("server/redis/Held", Bound.REQUESTS),
          Map.entry("server/redis/OrElse", Bound.REQUESTS),
          Map.entry("server/wiring/Network", Bound.LOOP_TASKS));

  private static final Map<String, String> OF_OUR_OWN =
      Map.ofEntries(
          Map.entry("core/exchange/DrainQuota", "one entry for each provider"),
          Map.entry(
              "core/limit/Allotments", "a fixed number, made anew when another takes the place"),
          Map.entry("core/limit/LocalCounters", "buckets up to its bound, the idle ones go"),
          Map.entry("core/limit/Slots", "keys that have a request in work"),
          Map.entry("core/pipeline/ConnectionCount", "those who wait for a drain's end"),
          Map.entry("core/pipeline/Gateway", "one entry for each event loop"),
          Map.entry("core/routing/Fleet", "one entry for each provider, key and route"),
          Map.entry(
              "core/upstream/EndpointConnections", "the pools of one endpoint, one for a loop"),
          Map.entry("core/upstream/Upstreams", "one entry for each endpoint and event loop"),
          Map.entry("server/ledger/Background", "the journal's few chores"),
          Map.entry("server/ledger/EarlierLife", "one batch of what is settled before serving"),
          Map.entry("server/ledger/Leaser", "one tick at a time, and eight grants"),
          Map.entry("server/ledger/Reporter", "one report at a time"),
          Map.entry("server/ledger/Shelf", "segments on the disk"),
          Map.entry("server/mock/MockCounters", "the last disconnects of the mock provider"),
          Map.entry("server/mock/MockModels", "the mock provider's models"),
          Map.entry("server/mock/MockProvider", "the mock provider's loops"),
          Map.entry("server/ops/AdminServer", "128 connections, 8 requests at once"),
          Map.entry("server/ops/RequestMetrics", "labels of configured names and closed lists"),
          Map.entry("server/postgres/DataDirLock", "one entry for each data directory"),
          Map.entry("server/postgres/PostmasterWatch", "one look at a time"),
          Map.entry("server/redis/Redis", "the timers of its calls"),
          Map.entry("server/wiring/Closers", "what was opened at start"),
          Map.entry("server/wiring/KeyPolling", "one poll at a time"),
          Map.entry("server/wiring/Server", "the drain's own steps"),
          Map.entry("server/wiring/Upkeep", "one chore at a time"));

  private Queues() {}

  /** Classes that are in no list, and entries of lists that stand for no class. */
  static List<String> violations(Collection<ClassModel> classes) {
    Set<String> known =
        Stream.concat(BOUNDED.keySet().stream(), OF_OUR_OWN.keySet().stream())
            .collect(Collectors.toSet());
    Set<String> found = new TreeSet<>();
    Set<String> growing = new TreeSet<>();
    for (ClassModel model : classes) {
      if (grows(model)) {
        growing.add(outermost(model));
      }
    }
    for (String name : growing) {
      if (!known.contains(name)) {
        found.add(
            name + " makes a queue, a pool or a map that grows: say in Queues what bounds it");
      }
    }
    for (String name : known) {
      if (!growing.contains(name)) {
        found.add(name + " makes nothing that grows: take it out of Queues");
      }
    }
    return List.copyOf(found);
  }

  private static boolean grows(ClassModel model) {
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof ClassEntry named && GROWING.contains(named.asInternalName())) {
        return true;
      }
    }
    return false;
  }

  private static String outermost(ClassModel model) {
    String name = model.thisClass().asInternalName().substring("dev/tollgate/".length());
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
