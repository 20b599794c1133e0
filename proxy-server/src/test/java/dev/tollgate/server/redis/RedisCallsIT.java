package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.AcquireResult.AllAcquired;
import dev.tollgate.core.limit.AcquireResult.Unavailable;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.server.ops.Logback;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of a node to Redis: how many, on which thread they are answered, and which keys remain. */
class RedisCallsIT {
  private static final Duration TIMEOUT =
      Duration.ofMillis(250); // other processes use the CPU, too
  private static final Pattern SCRIPTS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

  private final RedisProcess process = RedisProcess.start();
  private final RedisClient client = RedisClient.create(process.url());
  private final RedisCommands<String, String> commands = client.connect().sync();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    client.shutdown();
    process.close();
  }

  private Redis node(String url) throws Exception {
    var observer = new FailureCounts();
    Redis node =
        Redis.open(RedisAddress.parse(new Secret(url)), TIMEOUT, Optional.empty(), observer);
    open.add(node);
    return node;
  }

  @Test
  void aRequestIsOneAwaitedCallAndOneThatIsNot() throws Exception {
    Counters counters = node(process.url()).counters();
    commands.configResetstat();
    long begun = System.nanoTime();

    long requests = 200;
    for (int n = 0; n < requests; n++) {
      Acquire acquire =
          AcquireCalls.slot(
              "k" + n, 2, minute(LimitScope.KEY, 9_000, 1), minute(LimitScope.GLOBAL, 9_000, 1));
      assertThat(AcquireCalls.take(counters, acquire)).isInstanceOf(AllAcquired.class);
      counters.end(acquire, 0);
    }

    await("all ends", () -> scriptCalls() >= 2 * requests);
    long beats = 1 + Duration.ofNanos(System.nanoTime() - begun).dividedBy(RedisCircuit.HEARTBEAT);
    assertThat(scriptCalls()).isBetween(2 * requests, 2 * requests + beats);
    assertThat(commands.info("commandstats"))
        .as("only the scripts read the time and buckets")
        .doesNotContain("cmdstat_multi", "cmdstat_watch");
  }

  private long scriptCalls() {
    Matcher calls = SCRIPTS.matcher(commands.info("commandstats"));
    long all = 0;
    while (calls.find()) {
      all += Long.parseLong(calls.group(1));
    }
    return all;
  }

  @Test
  void theAnswerArrivesOnTheCallersLoop() throws Exception {
    Counters counters = node(process.url()).counters();
    try (var loop =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().name("caller").factory())) {
      for (boolean frozen : List.of(false, true)) {
        if (frozen) {
          process.freeze();
        }
        var on = new CompletableFuture<String>();
        counters.acquire(
            AcquireCalls.slot("k", 9), loop, _ -> on.complete(Thread.currentThread().getName()));
        assertThat(on.get(10, TimeUnit.SECONDS)).as("frozen: %s", frozen).isEqualTo("caller");
      }
    } finally {
      process.thaw();
    }
  }

  @Test
  void whatTheNodeWasTooBusyToReadOrToWriteIsNotLate() throws Exception {
    Redis node = node(process.url());
    Counters counters = node.counters();
    for (int n = 0; n < 4; n++) {
      var inTheSocket = new CompletableFuture<AcquireResult>();
      var stalls = new CompletableFuture<Boolean>();
      counters.acquire(
          AcquireCalls.slot("k", 99),
          Runnable::run, // on the thread that reads Redis' answers
          _ -> {
            counters.acquire(AcquireCalls.slot("k", 99), Runnable::run, inTheSocket::complete);
            stalls.complete(true);
            stall(TIMEOUT.multipliedBy(2));
          });
      assertThat(stalls.get(10, TimeUnit.SECONDS)).isTrue();
      assertThat(AcquireCalls.take(counters, AcquireCalls.slot("k", 99)))
          .as("not written until then")
          .isInstanceOf(AllAcquired.class);
      assertThat(inTheSocket.get(10, TimeUnit.SECONDS))
          .as("answered until then")
          .isInstanceOf(AllAcquired.class);
    }
    assertThat(node.isUp()).isTrue();
  }

  /** Keeps a thread from anything else, like a machine that has no processor for it. */
  private static void stall(Duration time) {
    long until = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - until < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void keysOfEndedRequestsAndRestatementsExpire() throws Exception {
    Counters counters = node(process.url()).counters();
    Acquire ended = AcquireCalls.slot("k", 2, tokens(1_000, 900));
    assertThat(AcquireCalls.take(counters, ended)).isInstanceOf(AllAcquired.class);
    counters.end(ended, 5_000);
    Acquire stated = AcquireCalls.slot("other", 2, tokens(1_000, 1));
    run(ScriptCall.acquire(stated, "node.1"));
    run(ScriptCall.restate(List.of(stated), "node.1", "node.2"));
    run(
        ScriptCall.end(
            new PermitRelease.Used(AcquireCalls.slot("new", 2, tokens(77, 1)), 9_000),
            List.of("node.2", "node.1")));
    await("the overrun", () -> commands.exists(bucket("t")) == 1);

    assertThat(commands.keys("*"))
        .contains("tollgate:slots:other", "tollgate:members:node.2", bucket("t"))
        .allSatisfy(key -> assertThat(commands.pttl(key)).isBetween(1L, 86_400_000L));
  }

  @Test
  void aTimedOutAcquireReturnsAllItsAmounts() throws Exception {
    var relay = new SlowRelay(process);
    open.add(relay);
    Counters counters = node(relay.url()).counters();
    BucketAmount requests = minute(LimitScope.KEY, 100, 30); // refills one each 600 ms
    BucketAmount tokens = tokens(1_000, 300);
    await(
        "an answer",
        () ->
            AcquireCalls.take(counters, AcquireCalls.without(probe(requests)))
                instanceof AllAcquired);
    relay.delay(TIMEOUT.plusMillis(100));
    for (int n = 0; n < 3; n++) {
      assertThat(AcquireCalls.take(counters, AcquireCalls.slot("k", 9, requests, tokens)))
          .isInstanceOf(Unavailable.class);
    }
    relay.delay(Duration.ZERO);

    await(
        "full buckets",
        () -> {
          AcquireResult result =
              AcquireCalls.take(counters, AcquireCalls.without(probe(requests), probe(tokens)));
          return result instanceof AllAcquired taken
              && taken.levels().get(0).remaining() >= 99
              && taken.levels().get(1).remaining() >= 990;
        });
  }

  @Test
  void aDeniedSubscriptionIsLoggedOnceAndRetried() throws Exception {
    var user = AclSetuserArgs.Builder.on().addPassword("pw").allKeys().allCommands();
    commands.aclSetuser("deaf", user.resetChannels());
    String url = process.url().replace("redis://", "redis://deaf:pw@");
    var logger = Logback.logger(KeyChangeSubscriber.class);
    var lines = new Lines();
    lines.start();
    logger.addAppender(lines);
    try (var announcer = KeyChangePublisher.connect(RedisAddress.parse(new Secret(url)))) {
      var notified = new Semaphore(0);
      node(url).onKeyChange(notified::release);
      await("a line of the log", () -> !lines.texts.isEmpty());
      assertThat(announcer.publish())
          .isInstanceOfSatisfying(
              KeyChangePublisher.PublishResult.Failed.class,
              failed -> assertThat(failed.reason()).contains("NOPERM"));
      assertThat(notified.availablePermits()).isZero();

      commands.aclSetuser("deaf", AclSetuserArgs.Builder.allChannels());
      assertThat(notified.tryAcquire(10, TimeUnit.SECONDS)).as("it listens").isTrue();
      assertThat(lines.texts).singleElement().asString().contains("NOPERM");
    } finally {
      logger.detachAppender(lines);
    }
  }

  /** Recorded log lines, for any thread. */
  private static final class Lines extends AppenderBase<ILoggingEvent> {
    private final Queue<String> texts = new ConcurrentLinkedQueue<>();

    @Override
    protected void append(ILoggingEvent line) {
      texts.add(line.getFormattedMessage());
    }
  }

  private static BucketAmount minute(LimitScope scope, long capacity, long amount) {
    return AcquireCalls.of(scope, "b", Unit.REQUESTS_PER_MINUTE, capacity, amount);
  }

  private static BucketAmount tokens(long capacity, long amount) {
    return AcquireCalls.of(LimitScope.KEY, "t", Unit.TOKENS_PER_MINUTE, capacity, amount);
  }

  private static BucketAmount probe(BucketAmount at) {
    return new BucketAmount(at.bucket(), 0);
  }

  private static String bucket(String id) {
    return "tollgate:bucket:key:tokens_per_minute:" + id;
  }

  private List<Long> run(ScriptCall call) {
    return commands.eval(
        call.script().text(),
        ScriptOutputType.MULTI,
        call.keys().toArray(String[]::new),
        call.arguments().toArray(String[]::new));
  }

  private static void await(String what, BooleanSupplier holds) {
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("timed out waiting for " + what);
      }
    }
  }
}
