package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.concurrent.Phaser;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A test class that leaks fails the build; one that does not passes. */
final class LeakCheckTest {

  @Test
  void aClassThatLeaksFails() {
    TestExecutionSummary summary = run(Leaking.class);
    assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
    assertThat(summary.getFailures())
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure.getException())
                    .hasMessageStartingWith("LEAK: ")
                    .hasMessageEndingWith("left 1 open")
                    .satisfies(
                        leak ->
                            assertThat(leak.getSuppressed()[0].getStackTrace())
                                .anyMatch(frame -> frame.getMethodName().equals("leaks"))));
  }

  @Test
  void aClassThatReleasesPasses() {
    assertThat(run(Releasing.class).getFailures()).isEmpty();
  }

  @Test
  void whatAStaticInitializerOpenedIsNoLeak() {
    assertThat(run(Constant.class).getFailures()).isEmpty();
  }

  /**
   * A class that holds a buffer while the other ends does not leak, and one that leaks is found.
   */
  @Test
  void ofClassesSideBySideTheLastAnswersForAll() {
    TestExecutionSummary summary = run(Holding.class, LeakingBeside.class);
    assertThat(summary.getTestsSucceededCount()).isEqualTo(2);
    assertThat(summary.getFailures())
        .singleElement()
        .satisfies(
            failure ->
                assertThat(failure.getException())
                    .hasMessageContaining(Holding.class.getName())
                    .hasMessageContaining(LeakingBeside.class.getName())
                    .hasMessageEndingWith("left 1 open"));
  }

  private static TestExecutionSummary run(Class<?>... tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(tests).map(DiscoverySelectors::selectClass).toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter(
                    "junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .configurationParameter(LeakCheck.GRACE_MILLIS, "100")
                .build(),
            listener);
    return listener.getSummary();
  }

  static final class Leaking {
    @Test
    void leaks() {
      assertThat(ByteBufAllocator.DEFAULT.heapBuffer(16).refCnt()).isEqualTo(1);
    }
  }

  /** Meeting point of two classes, both before their end. */
  private static final Phaser BOTH = new Phaser(2);

  @Execution(ExecutionMode.CONCURRENT)
  static final class Holding {
    @Test
    void holds() {
      ByteBuf held = ByteBufAllocator.DEFAULT.heapBuffer(16);
      BOTH.arriveAndAwaitAdvance();
      assertThat(held.release()).isTrue();
    }
  }

  @Execution(ExecutionMode.CONCURRENT)
  static final class LeakingBeside {
    @Test
    void leaks() {
      assertThat(ByteBufAllocator.DEFAULT.heapBuffer(16).refCnt()).isEqualTo(1);
      BOTH.arriveAndAwaitAdvance();
    }
  }

  static final class Releasing {
    @Test
    void releases() {
      ByteBuf buffer = ByteBufAllocator.DEFAULT.directBuffer(16);
      assertThat(buffer.release()).isTrue();
    }
  }

  static final class Constant {
    private static final ByteBuf CONSTANT =
        Unpooled.unreleasableBuffer(ByteBufAllocator.DEFAULT.directBuffer(16));

    @Test
    void uses() {
      assertThat(CONSTANT.release()).isFalse();
    }
  }
}
