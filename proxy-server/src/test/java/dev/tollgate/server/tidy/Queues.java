package dev.tollgate.server.tidy;

import dev.tollgate.server.ops.ResourceBound;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every class that makes something which can grow while others fill it, with what bounds it: an
 * entry of {@link ResourceBound}, or in words why it holds no work of clients. Such are all classes
 * that name a queue, a pool or a concurrent map, and all that give a field a new collection or map
 * of any kind.
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
          JUC + "ConcurrentSkipListSet",
          JUC + "CopyOnWriteArrayList",
          JUC + "CopyOnWriteArraySet",
          JUC + "DelayQueue",
          JUC + "Executors",
          JUC + "ForkJoinPool",
          JUC + "LinkedBlockingDeque",
          JUC + "LinkedBlockingQueue",
          JUC + "LinkedTransferQueue",
          JUC + "PriorityBlockingQueue",
          JUC + "ScheduledThreadPoolExecutor",
          JUC + "SubmissionPublisher",
          JUC + "ThreadPoolExecutor",
          JUC + "atomic/AtomicReferenceArray",
          "java/util/Timer",
          "com/github/benmanes/caffeine/cache/Caffeine",
          "io/lettuce/core/RedisClient",
          "io/netty/channel/MultiThreadIoEventLoopGroup",
          "io/netty/util/HashedWheelTimer",
          "io/netty/util/concurrent/DefaultEventExecutor",
          "io/netty/util/concurrent/DefaultEventExecutorGroup",
          "io/netty/util/internal/PlatformDependent");

  private static final Map<String, ResourceBound> BOUNDED =
      Map.ofEntries(
          Map.entry("core/ledger/Line", ResourceBound.LEDGER_WAITING),
          Map.entry("core/ledger/NodeLedger", ResourceBound.LEDGER_WAITING),
          Map.entry("core/limit/RefusalCache", ResourceBound.REFUSAL_CACHE),
          Map.entry("core/tenant/KeyCache", ResourceBound.KEY_CACHE),
          Map.entry("core/tenant/KeyFlights", ResourceBound.KEY_LOOK_UPS),
          Map.entry("core/upstream/EndpointPool", ResourceBound.UPSTREAM_PENDING),
          Map.entry("core/exchange/Downloads", ResourceBound.DOWNLOADS),
          Map.entry("core/upstream/Lease", ResourceBound.REQUEST_BODY),
          Map.entry("server/ledger/Completions", ResourceBound.JOURNAL_QUEUE),
          Map.entry("server/ledger/GroupWriter", ResourceBound.JOURNAL_QUEUE),
          Map.entry("server/ledger/LocalJournal", ResourceBound.JOURNAL_QUEUE),
          Map.entry("server/ledger/UnbookedQueue", ResourceBound.JOURNAL_IN_MEMORY),
          Map.entry("server/ops/BoundedOffload", ResourceBound.OFFLOAD_QUEUE),
          Map.entry("core/tenant/OrgPlaces", ResourceBound.IDEMPOTENCY_CLAIMS),
          Map.entry("server/postgres/OrgBytes", ResourceBound.IDEMPOTENCY_BYTES),
          Map.entry("server/ops/RequestLog", ResourceBound.REQUEST_LOG),
          Map.entry("server/ops/RingAppender", ResourceBound.LOG_RING),
          Map.entry("server/ops/Shedder", ResourceBound.REQUESTS),
          Map.entry("server/redis/Client", ResourceBound.REDIS_CALLS),
          Map.entry("server/redis/Ends", ResourceBound.REDIS_RELEASES),
          Map.entry("server/redis/Deadlines", ResourceBound.REQUESTS),
          Map.entry("server/redis/Held", ResourceBound.REQUESTS),
          Map.entry("server/redis/OrElse", ResourceBound.REQUESTS),
          Map.entry("server/webhook/Sender", ResourceBound.WEBHOOKS),
          Map.entry("server/wiring/Network", ResourceBound.LOOP_TASKS));

  private static final Map<String, String> OF_OUR_OWN =
      Map.ofEntries(
          Map.entry("core/catalog/Catalog", "what the configuration names"),
          Map.entry("core/dialect/AnthropicReply", "blocks of one reply, whose bytes are bounded"),
          Map.entry("core/dialect/BedrockReply", "blocks of one reply, whose bytes are bounded"),
          Map.entry("core/dialect/GeminiTurns", "calls of tools in one request"),
          Map.entry("core/dialect/Dropped", "a few paths of one request"),
          Map.entry("core/dialect/OllamaMessages", "calls of tools in one request"),
          Map.entry("core/endpoint/Delivered", "eight short texts of one stream"),
          Map.entry("core/endpoint/Issues", "32 of one request"),
          Map.entry("core/endpoint/ResponseDraft", "items of one reply, each counts as kept bytes"),
          Map.entry("core/endpoint/TextChoices", "the choices of one chunk"),
          Map.entry("core/exchange/Bill", "one entry for each provider that continued a stream"),
          Map.entry("core/exchange/DrainQuota", "one entry for each provider"),
          Map.entry("core/exchange/InputImages", "ten images of one request"),
          Map.entry("core/exchange/Resumption", "candidates of one request"),
          Map.entry("core/exchange/SentImages", "ten images of one request"),
          Map.entry("core/exchange/Timeline", "one entry for each phase of a request"),
          Map.entry("core/exchange/Tries", "candidates and attempts of one request"),
          Map.entry("core/exchange/Unawaited", "those who wait for a drain's end"),
          Map.entry("core/http/MultipartReader", "128 parts of one form, then it is refused"),
          Map.entry("core/json/JsonSplice", "a few edits of one body"),
          Map.entry("core/json/SpliceOut", "pieces of one body"),
          Map.entry("core/ledger/Commitments", "one entry for each lease"),
          Map.entry("core/ledger/Leasing", "keys that have a lease, the idle ones go"),
          Map.entry("core/ledger/Recovery", "requests that ran when an earlier life ended"),
          Map.entry("core/ledger/Statements", "one entry for each lease"),
          Map.entry(
              "core/limit/Allotments", "a fixed number, made anew when another takes the place"),
          Map.entry("core/limit/LocalCounters", "buckets up to its bound, the idle ones go"),
          Map.entry("core/limit/Slots", "keys that have a request in work"),
          Map.entry("core/pipeline/ConnectionCount", "those who wait for a drain's end"),
          Map.entry("core/pipeline/Gateway", "one entry for each event loop"),
          Map.entry("core/pipeline/StalledStreams", "the connections that there are, at one look"),
          Map.entry("core/routing/Fleet", "one entry for each provider, key and route"),
          Map.entry(
              "core/upstream/EndpointConnections", "the pools of one endpoint, one for a loop"),
          Map.entry(
              "core/upstream/ClientsFirst",
              "one entry for each connection of a loop to a provider"),
          Map.entry("core/upstream/UpstreamPool", "one entry for each endpoint"),
          Map.entry("core/upstream/Upstreams", "one entry for each endpoint and event loop"),
          Map.entry("server/bench/Connections", "connections of a benchmark, up to its bound"),
          Map.entry("server/bench/Driver", "one event loop of a benchmark"),
          Map.entry("server/bench/Frontier", "24 probes of a benchmark"),
          Map.entry("server/blob/Expiry", "one round at a time"),
          Map.entry("server/cli/Main", "the verbs"),
          Map.entry("server/cli/Quarantine", "the requests that an operator named"),
          Map.entry("server/jobs/HttpMediaProvider", "one call for each job in work"),
          Map.entry("server/jobs/JobRunner", "jobs in work, at most media.workers"),
          Map.entry("server/jobs/Turns", "providers of these, which an operator names"),
          Map.entry("server/ledger/Background", "the journal's few chores"),
          Map.entry("server/ledger/EarlierLife", "one batch of what is settled before serving"),
          Map.entry("server/ledger/Leaser", "one tick at a time, and eight grants"),
          Map.entry("server/ledger/Reporter", "one report at a time"),
          Map.entry("server/ledger/Shelf", "segments on the disk"),
          Map.entry("server/oauth/AccessTokens", "one entry for each service account"),
          Map.entry("server/oauth/Chores", "one task for each service account"),
          Map.entry("server/mock/Draft", "one reply of the mock provider"),
          Map.entry("server/mock/LoopContext", "the mock provider's replies"),
          Map.entry("server/mock/MockCounters", "the last disconnects of the mock provider"),
          Map.entry("server/mock/MockModels", "the mock provider's models"),
          Map.entry("server/mock/MockProvider", "the mock provider's loops"),
          Map.entry("server/mock/media/MediaJobs", "20,000 jobs of the mock provider"),
          Map.entry("server/mock/media/Mp4", "pictures of one video of the mock provider"),
          Map.entry("server/mock/PlanEncoder", "one reply of the mock provider"),
          Map.entry("server/ops/AdminServer", "128 connections, 8 requests at once"),
          Map.entry("server/ops/LoopLag", "one entry for each event loop"),
          Map.entry("server/ops/LoopWait", "one entry for each event loop"),
          Map.entry("server/ops/RequestMetrics", "labels of configured names and closed lists"),
          Map.entry("server/postgres/DataDirLock", "one entry for each data directory"),
          Map.entry("server/postgres/LedgerAudit", "the kinds of violations"),
          Map.entry("server/postgres/PostgresIdempotency", "requests with a key in work here"),
          Map.entry("server/postgres/Store", "the pools of one process"),
          Map.entry("server/postgres/PostmasterWatch", "one look at a time"),
          Map.entry("server/redis/Circuit", "a hundred epochs that were begun in vain"),
          Map.entry("server/redis/Redis", "the timers of its calls"),
          Map.entry("server/redis/ScriptCall", "one call's buckets"),
          Map.entry("server/settings/shape/Differences", "keys of the configuration"),
          Map.entry("server/settings/shape/Places", "keys of the configuration"),
          Map.entry("server/settings/yaml/Problems", "problems of one file"),
          Map.entry("server/wiring/Closers", "what was opened at start"),
          Map.entry("server/wiring/DnsNames", "one entry for each event loop"),
          Map.entry("server/wiring/JobWork", "one chore"),
          Map.entry("server/wiring/KeyPolling", "one poll at a time"),
          Map.entry("server/wiring/Mocks", "one entry for each bundled provider"),
          Map.entry("server/wiring/OpenJobs", "one chore, and a number for each status"),
          Map.entry("server/wiring/Server", "the drain's own steps"),
          Map.entry("server/wiring/Submissions", "one chore"),
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
            name
                + " makes a queue, a pool or a collection that grows: say in Queues what bounds it");
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
    return model.methods().stream().flatMap(each -> each.code().stream()).anyMatch(Queues::keeps);
  }

  /** Whether it gives a field a collection that was made just before. */
  private static boolean keeps(CodeModel code) {
    boolean isMade = false;
    for (CodeElement element : code) {
      if (isMade && element instanceof FieldInstruction field && isPut(field.opcode())) {
        return true;
      }
      if (element instanceof Instruction) { // and neither a label nor a line
        isMade = element instanceof InvokeInstruction call && isCollection(call);
      }
    }
    return false;
  }

  private static boolean isPut(Opcode opcode) {
    return opcode == Opcode.PUTFIELD || opcode == Opcode.PUTSTATIC;
  }

  /** A constructor, or what wraps a new collection; maps of enum constants cannot grow. */
  private static boolean isCollection(InvokeInstruction call) {
    String owner = call.owner().asInternalName();
    String name = call.name().stringValue();
    if (owner.equals("java/util/Collections")) {
      return name.startsWith("newSet") || name.startsWith("synchronized");
    }
    if (!name.equals("<init>") || owner.equals("java/util/EnumMap")) {
      return false;
    }
    try {
      Class<?> made = Class.forName(owner.replace('/', '.'), false, Queues.class.getClassLoader());
      return Collection.class.isAssignableFrom(made) || Map.class.isAssignableFrom(made);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static String outermost(ClassModel model) {
    String name = model.thisClass().asInternalName().substring("dev/tollgate/".length());
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
