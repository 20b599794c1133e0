package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.testkit.CountersContract;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Contract test of the scripts on a real Redis. */
@Execution(ExecutionMode.CONCURRENT)
class ScriptsContractIT extends CountersContract {
  private static RedisProcess process;
  private static RedisClient client;
  private static ScriptClock clock;

  private long nowMicros = 1_700_000_000_000_000L;

  @BeforeAll
  static void start() {
    process = RedisProcess.start();
    client = RedisClient.create(process.url());
    clock = new ScriptClock(client.connect().sync());
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    process.close();
  }

  @BeforeEach
  void begin() {
    clock.set(nowMicros);
  }

  @Override
  protected Counters counters() {
    return new Scripts();
  }

  @Override
  protected void pass(Duration time) {
    nowMicros += time.toNanos() / 1_000;
    clock.set(nowMicros);
  }

  /** Counters that call the scripts one after the other. */
  private static final class Scripts implements Counters {
    private static final String EPOCH = "node.1";

    @Override
    public void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
      answer.accept(ScriptCall.result(clock.run(ScriptCall.acquire(acquire, EPOCH))));
    }

    @Override
    public void end(Acquire acquire, long tokensUsed) {
      clock.run(ScriptCall.end(new PermitRelease.Used(acquire, tokensUsed), List.of(EPOCH)));
    }
  }
}
