package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long an admin connection waits for its client, by a manual clock. */
final class AdminDeadlinesTest {
  private final MockTicker ticker = Ticker.newMockTicker();
  private final AdminDeadlines deadlines = new AdminDeadlines(new AdminConnections());
  private final EmbeddedChannel channel =
      EmbeddedChannel.builder().ticker(ticker).handlers(new Unread(), deadlines).build();
  private boolean reads = true;

  /** Peer that may stop receiving. */
  private final class Unread extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (reads) {
        ctx.write(message, promise);
      } else {
        ReferenceCountUtil.release(message);
      }
    }
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void aClientThatSaysNothingHasFiveSeconds() {
    pass(4_999);
    assertThat(channel.isOpen()).isTrue();
    pass(1);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aByteNowAndThenGainsNothing() {
    for (int i = 0; i < 4; i++) {
      send("G");
      pass(1_000);
    }
    assertThat(channel.isOpen()).isTrue();
    send("G");
    pass(1_000);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aFurtherRequestHasItsTimeFromItsFirstByte() {
    answer();
    pass(4_000);
    send("G");
    pass(4_000);
    send("E");
    assertThat(channel.isOpen()).isTrue();
    pass(1_000);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aConnectionWithoutAFurtherRequestIsKeptForFiveSeconds() {
    answer();
    pass(4_999);
    assertThat(channel.isOpen()).isTrue();
    pass(1);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aHandlerTakesItsTime() {
    send("GET");
    deadlines.requestReceived();
    pass(600_000);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aReplyThatIsNotReceivedEndsTheConnection() {
    reads = false;
    send("GET");
    deadlines.requestReceived();
    channel.writeOutbound(bytes("reply"));
    pass(29_999);
    assertThat(channel.isOpen()).isTrue();
    pass(1);
    assertThat(channel.isOpen()).isFalse();
  }

  private void answer() {
    send("GET");
    deadlines.requestReceived();
    pass(10_000);
    channel.writeOutbound(bytes("reply"));
    deadlines.replySent();
  }

  private void send(String text) {
    channel.writeInbound(bytes(text));
  }

  private static Object bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
  }

  private void pass(long millis) {
    ticker.advance(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }
}
