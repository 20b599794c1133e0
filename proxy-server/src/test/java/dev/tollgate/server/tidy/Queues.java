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
          Map.entry("core/ledger/GrantQueue", ResourceBound.LEDGER_WAITING),
          Map.entry("core/ledger/NodeLedger", ResourceBound.LEDGER_WAITING),
          Map.entry("core/limit/RefusalCache", ResourceBound.REFUSAL_CACHE),
          Map.entry("core/routing/OrgCircuits", ResourceBound.ORG_CIRCUITS),
          Map.entry("core/tenant/KeyCache", ResourceBound.KEY_CACHE),
          Map.entry("core/tenant/KeyLookups", ResourceBound.KEY_LOOK_UPS),
          Map.entry("core/pipeline/EvictableConnections", ResourceBound.CONNECTIONS),
          Map.entry("core/tenant/RefusalBuckets", ResourceBound.REFUSAL_BUDGETS),
          Map.entry("core/upstream/EndpointPool", ResourceBound.UPSTREAM_PENDING),
          Map.entry("core/exchange/download/Downloads", ResourceBound.DOWNLOADS),
          Map.entry("core/upstream/Lease", ResourceBound.REQUEST_BODY),
          Map.entry("server/ledger/DurabilityCallbacks", ResourceBound.JOURNAL_QUEUE),
          Map.entry("server/ledger/GroupWriter", ResourceBound.JOURNAL_QUEUE),
          Map.entry("server/ledger/LocalJournal", ResourceBound.JOURNAL_QUEUE),
          Map.entry("server/ledger/UnsettledQueue", ResourceBound.JOURNAL_IN_MEMORY),
          Map.entry("server/ops/AdminConnections", ResourceBound.ADMIN_CONNECTIONS),
          Map.entry("server/ops/BoundedOffload", ResourceBound.OFFLOAD_QUEUE),
          Map.entry("core/tenant/PerOrgLimit", ResourceBound.IDEMPOTENCY_CLAIMS),
          Map.entry("server/postgres/idempotency/OrgByteQuota", ResourceBound.IDEMPOTENCY_BYTES),
          Map.entry("server/ops/RefusalCounts", ResourceBound.REFUSAL_COUNTS),
          Map.entry("server/ops/RequestLog", ResourceBound.REQUEST_LOG),
          Map.entry("server/ops/RingAppender", ResourceBound.LOG_RING),
          Map.entry("server/ops/Shedder", ResourceBound.REQUESTS),
          Map.entry("server/redis/RedisConnector", ResourceBound.REDIS_CALLS),
          Map.entry("server/redis/ReleaseQueue", ResourceBound.REDIS_RELEASES),
          Map.entry("server/redis/CallTimeouts", ResourceBound.REQUESTS),
          Map.entry("server/redis/ActivePermits", ResourceBound.REQUESTS),
          Map.entry("server/redis/LocalFallbackCounters", ResourceBound.REQUESTS),
          Map.entry("server/account/signin/Passwords", ResourceBound.PASSWORD_QUEUE),
          Map.entry("server/webhook/WebhookSender", ResourceBound.WEBHOOKS),
          Map.entry("server/wiring/Network", ResourceBound.LOOP_TASKS));

  private static final Map<String, String> OF_OUR_OWN =
      Map.ofEntries(
          Map.entry("core/catalog/Catalog", "what the configuration names"),
          Map.entry(
              "core/dialect/anthropic/AnthropicReply",
              "blocks of one reply, whose bytes are bounded"),
          Map.entry(
              "core/dialect/bedrock/BedrockReply", "blocks of one reply, whose bytes are bounded"),
          Map.entry("core/api/chat/MediaStrings", "strings of one request"),
          Map.entry("core/api/chat/ToolCalls", "calls of one stream, at most 4,097"),
          Map.entry("server/ops/AccessLog", "callers of one minute, at most 1,000"),
          Map.entry("core/api/responses/InputPaths", "items of one request"),
          Map.entry("core/dialect/CallPairing", "calls of tools in one request"),
          Map.entry("core/dialect/MediaOfResults", "results of one request"),
          Map.entry("core/dialect/cohere/CohereMessages", "media of one result"),
          Map.entry("core/dialect/cohere/CohereTools", "tools of one request"),
          Map.entry("core/dialect/tool/CallIds", "calls of tools in one request"),
          Map.entry("core/dialect/tool/OlderFunctions", "calls of functions in one request"),
          Map.entry("core/dialect/tool/SchemaCycles", "definitions of one schema"),
          Map.entry("core/dialect/tool/SchemaKeywords", "keywords of one schema"),
          Map.entry("core/dialect/tool/SchemaReferences", "definitions of one schema"),
          Map.entry("core/dialect/tool/ToolNames", "tools of one request"),
          Map.entry("core/catalog/ModelNames", "names of the configuration's models"),
          Map.entry("core/egress/ProviderAddresses", "endpoints of the configurations"),
          Map.entry("core/dialect/gemini/GeminiTurns", "calls of tools in one request"),
          Map.entry("core/dialect/DroppedFields", "a few paths of one request"),
          Map.entry("core/dialect/ollama/OllamaMessages", "calls of tools in one request"),
          Map.entry("core/api/DeliveredContent", "eight short texts of one stream"),
          Map.entry("core/api/Issues", "32 of one request"),
          Map.entry("core/routing/ServedOrgs", "256 organizations at one deployment"),
          Map.entry(
              "core/api/responses/ResponseDraft", "items of one reply, each counts as kept bytes"),
          Map.entry("core/api/completion/TextChoices", "the choices of one chunk"),
          Map.entry(
              "core/exchange/attempt/StreamCharges",
              "one entry for each provider that continued a stream"),
          Map.entry("core/prompt/TokenRatios", "one entry for each model, up to 10,000"),
          Map.entry("core/exchange/frame/DrainQuota", "one entry for each provider"),
          Map.entry(
              "core/exchange/frame/LeftStreams",
              "10,000 organizations that left a stream, the least recent ones go"),
          Map.entry("core/exchange/InputMedia", "providers of one plan"),
          Map.entry(
              "core/exchange/MediaJudge", "media URLs of one request, whose count is bounded"),
          Map.entry("core/exchange/frame/InputImages", "media URLs of one request"),
          Map.entry("core/exchange/attempt/AttemptHistory", "attempts of one request"),
          Map.entry("core/exchange/frame/BodyWork", "attempts of one request"),
          Map.entry("core/exchange/attempt/FallbackLimits", "fallback models of one request"),
          Map.entry("core/exchange/attempt/Resumption", "candidates of one request"),
          Map.entry("core/exchange/media/JobImageUpload", "ten images of one request"),
          Map.entry("core/exchange/frame/Timeline", "one entry for each phase of a request"),
          Map.entry("core/exchange/attempt/RetryState", "candidates and attempts of one request"),
          Map.entry("core/exchange/frame/DetachedRequests", "those who wait for a drain's end"),
          Map.entry(
              "core/http/multipart/MultipartReader", "128 parts of one form, then it is refused"),
          Map.entry("core/json/JsonSplice", "a few edits of one body"),
          Map.entry("core/json/SpliceWriter", "pieces of one body"),
          Map.entry("core/ledger/Commitments", "one entry for each lease"),
          Map.entry("core/ledger/LeasePlanner", "keys that have a lease, the idle ones go"),
          Map.entry("core/ledger/Recovery", "requests that ran when an earlier life ended"),
          Map.entry("core/ledger/LeaseStatements", "one entry for each lease"),
          Map.entry(
              "core/limit/LimitSets", "a fixed number, made anew when another takes the place"),
          Map.entry("core/limit/LocalCounters", "buckets up to its bound, the idle ones go"),
          Map.entry("core/limit/LocalBuckets", "one bucket for each unit"),
          Map.entry("core/limit/ConcurrencySlots", "keys that have a request in work"),
          Map.entry("core/pipeline/ConnectionCount", "those who wait for a drain's end"),
          Map.entry("core/pipeline/Gateway", "one entry for each event loop"),
          Map.entry("core/pipeline/StalledStreams", "the connections that there are, at one look"),
          Map.entry("core/routing/Fleet", "one entry for each provider, key and route"),
          Map.entry(
              "core/upstream/EndpointConnections", "the pools of one endpoint, one for a loop"),
          Map.entry(
              "core/upstream/loop/ClientPriorityIoHandler",
              "one entry for each connection of a loop to a provider"),
          Map.entry("core/upstream/UpstreamPool", "one entry for each endpoint"),
          Map.entry("core/upstream/Upstreams", "one entry for each endpoint and event loop"),
          Map.entry("bench/Connections", "connections of a benchmark, up to its bound"),
          Map.entry("bench/Driver", "one event loop of a benchmark"),
          Map.entry("bench/Frontier", "24 probes of a benchmark"),
          Map.entry("server/storage/BlobExpiry", "one round at a time"),
          Map.entry("server/explorer/RequestQueries", "one page of requests, at most 200"),
          Map.entry("server/postgres/session/SqlParts", "parameters of one statement"),
          Map.entry("server/cli/QuarantineCommand", "the requests that an operator named"),
          Map.entry("server/jobs/HttpMediaProvider", "one call for each job in work"),
          Map.entry("server/jobs/JobRunner", "jobs in work, at most media.workers"),
          Map.entry("server/jobs/FairScheduler", "providers of these, which an operator names"),
          Map.entry("server/ledger/JournalThreads", "the journal's few chores"),
          Map.entry(
              "server/ledger/PreviousEpochJournal", "one batch of what is settled before serving"),
          Map.entry("server/ledger/LeaseClient", "one tick at a time, and eight grants"),
          Map.entry("server/ledger/CommitmentReporter", "one report at a time"),
          Map.entry("server/ledger/LiveSegments", "segments on the disk"),
          Map.entry("server/oauth/AccessTokens", "one entry for each service account"),
          Map.entry("server/oauth/TaskScheduler", "one task for each service account"),
          Map.entry("mock/ReplyDraft", "one reply of the mock provider"),
          Map.entry("mock/LoopContext", "the mock provider's replies"),
          Map.entry("mock/MockCounters", "the last disconnects of the mock provider"),
          Map.entry("mock/MockModels", "the mock provider's models"),
          Map.entry("mock/MockProvider", "the mock provider's loops"),
          Map.entry("mock/demo/SchemaSample", "references of one schema"),
          Map.entry("mock/media/MediaJobs", "20,000 jobs of the mock provider"),
          Map.entry("mock/media/Mp4", "pictures of one video of the mock provider"),
          Map.entry("mock/PlanEncoder", "one reply of the mock provider"),
          Map.entry("server/ops/AdminServer", "one event loop, and 8 requests at once"),
          Map.entry("server/metrics/Metrics", "one entry for each gauge with several owners"),
          Map.entry("server/ops/LoopLag", "one entry for each event loop"),
          Map.entry("server/ops/EventLoopDelay", "one entry for each event loop"),
          Map.entry("server/ops/RequestMetrics", "labels of configured names and closed lists"),
          Map.entry("server/postgres/embedded/DataDirLock", "one entry for each data directory"),
          Map.entry("server/postgres/ledger/LedgerAudit", "the kinds of violations"),
          Map.entry(
              "server/postgres/idempotency/PostgresIdempotency",
              "requests with a key in work here"),
          Map.entry("server/postgres/session/StorePools", "the pools of one process"),
          Map.entry("server/postgres/embedded/PostmasterSupervisor", "one look at a time"),
          Map.entry("server/redis/RedisCircuit", "a hundred epochs that were begun in vain"),
          Map.entry("server/redis/Redis", "the timers of its calls"),
          Map.entry("server/redis/ScriptCall", "one call's buckets"),
          Map.entry("server/cli/ConnectivityCheck", "a check of each provider, of one command"),
          Map.entry("server/settings/AliasChecks", "names of the configuration"),
          Map.entry("server/settings/binding/Differences", "keys of the configuration"),
          Map.entry("server/settings/binding/SourceLocations", "keys of the configuration"),
          Map.entry("server/settings/yaml/Problems", "problems of one file"),
          Map.entry("server/wiring/Closers", "what was opened at start"),
          Map.entry("server/control/ControlListener", "one event loop"),
          Map.entry("server/control/route/QueryBinder", "200 parameters of one query"),
          Map.entry("server/control/route/Handlers", "one entry for each route"),
          Map.entry("server/control/route/RouteTable", "one entry for each route"),
          Map.entry("server/control/route/SchemaSet", "one entry for each record of a call"),
          Map.entry("server/dns/NettyDnsResolver", "one entry for each event loop"),
          Map.entry("server/wiring/JobWorkers", "one chore"),
          Map.entry("server/keys/KeyChangePoller", "one poll at a time"),
          Map.entry("server/wiring/MockProviders", "one entry for each bundled provider"),
          Map.entry("server/jobs/OpenJobs", "one chore, and a number for each status"),
          Map.entry("server/wiring/Server", "the drain's own steps"),
          Map.entry("server/wiring/Submissions", "one chore"),
          Map.entry("server/maintenance/StoreMaintenance", "one chore at a time"));

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
