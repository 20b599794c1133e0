package dev.tollgate.core.exchange.frame;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.ScriptedOffload;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BodyWorkTest {
  private static final int LARGE = BodyWork.ON_LOOP_BYTES_MAX + 1;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ScriptedOffload offload = new ScriptedOffload();
  private final InflightBytes inflight = new InflightBytes(1 << 20);
  private final List<String> seen = new ArrayList<>();
  private final RequestLoop loop =
      new RequestLoop(channel.eventLoop(), unexpected -> seen.add(unexpected.getMessage()));

  private BodyWork over(Body body) {
    return new BodyWork(new BodyPorts(inflight, offload), body, loop);
  }

  private Body body(int length) {
    return new Body(new byte[length], length, inflight.tryAcquire(length).orElseThrow(), 0);
  }

  private void add(BodyWork work, String name) {
    work.run(() -> "made " + name, seen::add, () -> seen.add("refused " + name));
  }

  private void runNext() {
    offload.runNext();
    channel.runPendingTasks();
  }

  @Test
  void aSmallBodyIsWorkedOnAtOnce() {
    add(over(body(BodyWork.ON_LOOP_BYTES_MAX)), "a");
    assertThat(seen).containsExactly("made a");
    assertThat(offload.count()).isZero();
  }

  @Test
  void oneTaskOfARequestRunsAtATime() {
    offload.hold();
    Body body = body(LARGE);
    BodyWork work = over(body);
    for (String name : new String[] {"a", "b", "c"}) {
      add(work, name);
      assertThat(offload.held()).isOne();
    }
    runNext();
    assertThat(seen).containsExactly("made a");
    offload.refuseNext();
    channel.runPendingTasks();
    body.end();
    assertThat(inflight.held()).as("what is used is counted").isEqualTo(LARGE);
    runNext();
    assertThat(seen).containsExactly("made a", "refused b", "made c");
    assertThat(inflight.held()).isZero();
  }

  @Test
  void aFaultOfATaskEndsTheRequestAndNotTheNextTask() {
    offload.hold();
    BodyWork work = over(body(LARGE));
    work.run(
        () -> {
          throw new IllegalStateException("broken");
        },
        _ -> seen.add("never"),
        () -> seen.add("never"));
    add(work, "b");
    runNext();
    runNext();
    assertThat(seen).containsExactly("the work over a body failed", "made b");
  }
}
