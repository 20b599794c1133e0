package dev.tollgate.core.exchange.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.BodySha256;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Other tasks run on the loop while a body is hashed. */
class EncodedRequestTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final EventLoop loop = channel.eventLoop();
  private final List<Boolean> othersTurns = new ArrayList<>();
  private boolean ready;
  private int dropped;

  private EncodedRequest letter(Optional<BodySha256> signed) {
    return new EncodedRequest(loop, signed, List::of, List.of(), () -> dropped++);
  }

  /** Another task on the loop, which notes at each run whether the request is ready. */
  private void other() {
    othersTurns.add(ready);
    if (!ready) {
      loop.execute(this::other);
    }
  }

  @Test
  void othersHaveTheirTurnsWhileALargeBodyIsHashed() {
    byte[] body = new byte[3 * BodySha256.BYTES_PER_STEP];
    letter(Optional.of(new BodySha256(List.of(Unpooled.wrappedBuffer(body)))))
        .whenReady(() -> true, () -> ready = true);
    assertThat(ready).isFalse();
    loop.execute(this::other);
    channel.runPendingTasks();
    assertThat(othersTurns).containsExactly(false, true);
  }

  @Test
  void anUnwantedRequestIsDroppedBeforeItsNextPart() {
    byte[] body = new byte[9 * BodySha256.BYTES_PER_STEP];
    var hash = new BodySha256(List.of(Unpooled.wrappedBuffer(body)));
    var wanted = new AtomicBoolean(true);
    letter(Optional.of(hash)).whenReady(wanted::get, () -> ready = true);
    wanted.set(false);
    channel.runPendingTasks();
    assertThat(dropped).isOne();
    assertThat(ready || hash.isDone()).isFalse();
  }

  @Test
  void whatIsSmallOrNotSignedIsReadyAtOnce() {
    letter(Optional.empty()).whenReady(() -> true, () -> othersTurns.add(true));
    letter(Optional.of(new BodySha256(List.of(Unpooled.wrappedBuffer(new byte[1_000])))))
        .whenReady(() -> true, () -> othersTurns.add(true));
    assertThat(othersTurns).hasSize(2);
  }
}
