package dev.tollgate.core.http;

import static dev.tollgate.core.http.BodyEnd.BODY_END;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.testkit.PullChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One message per read, none after a request's end, and every socket read accounted for. */
final class RequestDecoderTest {
  private static final String POST = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n";
  private static final String GET = "GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final String BAD = "GET /\r\n";
  private static final int HELD_BYTES_MAX = RequestLimits.DEFAULT.heldBytesMax();

  private final RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT);
  private final Events events = new Events();
  private final PullChannel channel = PullChannel.open(decoder, events);

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  @Test
  void aRequestComesOneMessagePerRead() {
    channel.arrive(POST + "Content-Length: 5\r\n\r\nhello");
    assertThat(channel.reads()).isZero();
    RequestHead head = (RequestHead) pulled();
    assertThat(head.method()).isEqualTo("POST");
    assertThat(head.path()).isEqualTo("/v1/chat/completions");
    assertThat(head.body()).isEqualTo(new BodyLength.Fixed(5));
    assertThat(text(pulled())).isEqualTo("hello");
    assertThat(channel.reads()).as("one, and one that stays open").isEqualTo(2);
    assertThat(pulled()).isEqualTo(BODY_END);
  }

  @Test
  void readsGoToTheSocketOnlyForWhatIsNotHeld() {
    channel.pull();
    assertThat(channel.reads()).isEqualTo(1);
    channel.pull();
    assertThat(channel.reads()).as("a read is open already").isEqualTo(1);
    channel.arrive("POST / HT");
    assertThat(channel.reads()).as("half a head is no message").isEqualTo(2);
    channel.arrive("TP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2");
    assertThat(channel.inboundMessages()).hasSize(1);
    assertThat(channel.reads()).as("the client may leave").isEqualTo(3);
    channel.pull();
    assertThat(channel.reads()).as("a read is open already").isEqualTo(3);
    channel.arrive("\r\nok\r\n0\r\n\r\n");
    assertThat(channel.inboundMessages()).hasSize(2);
  }

  @Test
  void ofABodyThatIsNotRequestedOnlyAFewBytesAreHeld() {
    channel.arrive(POST + "Content-Length: 100000\r\n\r\n");
    pulled();
    assertThat(channel.isReadOpen()).as("the client may leave").isTrue();
    for (int i = 0; i < 100; i++) {
      channel.arrive("x".repeat(1000));
    }
    assertThat(channel.reads()).isEqualTo(1 + 17);
    assertThat(channel.isReadOpen()).isFalse();
    assertThat(text(pulled())).hasSize(17_000);
  }

  @Test
  void aDisconnectBeforeTheBodyIsRequestedIsNoticed() {
    channel.arrive(POST + "Content-Length: 5\r\n\r\nhello");
    pulled();
    channel.arriveClose();
    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.inboundMessages()).isEmpty();
  }

  @Test
  void oneReadStaysOpenBehindARequestsEnd() {
    channel.arrive(GET);
    pulled();
    assertThat(pulled()).isEqualTo(BODY_END);
    assertThat(channel.isReadOpen()).isTrue();
    int reads = channel.reads();
    channel.arrive("GET /2");
    channel.arrive(" HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(channel.reads()).as("armed again after each").isEqualTo(reads + 2);
    assertThat(channel.inboundMessages()).isEmpty();
  }

  @Test
  void behindARequestsEndTheBytesItCameInAreFree() {
    for (String request : List.of(GET, POST + "Content-Length: 5\r\n\r\nhello")) {
      PullChannel socket = PullChannel.open(new RequestDecoder(RequestLimits.DEFAULT));
      ByteBuf read = Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1);
      socket.arrive(read);
      for (Object message = null; message != BODY_END; ReferenceCountUtil.release(message)) {
        socket.pull();
        message = socket.readInbound();
      }
      assertThat(read.refCnt()).isZero();
      socket.finishAndReleaseAll();
    }
  }

  @Test
  void theNextRequestWaitsForThePreviousReply() {
    channel.arrive(GET + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
    pulled();
    assertThat(pulled()).isEqualTo(BODY_END);
    channel.pull();
    assertThat(channel.inboundMessages()).isEmpty();
    assertThat(decoder.mayContinue()).isTrue();
    decoder.nextRequest();
    assertThat(((RequestHead) channel.readInbound()).path()).isEqualTo("/2");
    assertThat(pulled()).isEqualTo(BODY_END);
  }

  @Test
  void theNextRequestIsAllowedOnlyAfterTheRequestsEnd() {
    channel.arrive(POST + "Content-Length: 5\r\n\r\n");
    pulled();
    assertThatThrownBy(decoder::nextRequest).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatIsHeldIsLimited() {
    channel.arrive(GET);
    pulled();
    pulled();
    for (int sent = 0; sent < HELD_BYTES_MAX; sent += 1024) {
      channel.arrive("x".repeat(1024));
    }
    assertThat(decoder.mayContinue()).isTrue();
    assertThat(channel.isReadOpen()).isTrue();
    channel.arrive("x");
    assertThat(decoder.mayContinue()).isFalse();
    assertThat(channel.isReadOpen()).as("its leaving would be seen").isTrue();
    channel.arrive("x".repeat(1024 * 1024));
    assertThat(channel.isReadOpen()).as("no more is taken").isFalse();
  }

  @Test
  void whatIsHeldIsLimitedWhenItCameWithTheRequest() {
    channel.arrive(GET + "x".repeat(HELD_BYTES_MAX + 1));
    pulled();
    assertThat(pulled()).isEqualTo(BODY_END);
    assertThat(decoder.mayContinue()).isFalse();
  }

  @Test
  void theRestOfABodyIsKnown() {
    channel.arrive(POST + "Content-Length: 5\r\n\r\nhe");
    pulled();
    assertThat(decoder.bodyBytesLeft()).isEqualTo(5);
    text(pulled());
    assertThat(decoder.bodyBytesLeft()).isEqualTo(3);
    channel.arrive("llo");
    text(pulled());
    assertThat(decoder.bodyBytesLeft()).isZero();
    pulled();
    decoder.nextRequest();
    channel.arrive(POST + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    pulled();
    assertThat(decoder.bodyBytesLeft()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void behindABadRequestEverythingIsDroppedUnread() {
    channel.arrive(BAD);
    channel.arrive(GET);
    assertThat(pulled()).isInstanceOf(BadRequest.class);
    assertThat(decoder.mayContinue()).isFalse();
    int reads = channel.reads();
    channel.pull();
    assertThat(channel.inboundMessages()).isEmpty();
    assertThat(channel.reads()).isEqualTo(reads);
  }

  @Test
  void aLingeringCloseReadsAndDropsUntilItsLimit() {
    channel.arrive(BAD);
    pulled();
    decoder.dropInput(10, channel::close);
    channel.arrive("12345");
    assertThat(channel.isReadOpen()).isTrue();
    assertThat(channel.isActive()).isTrue();
    channel.arrive("67890");
    assertThat(channel.isActive()).isFalse();
    assertThat(channel.inboundMessages()).isEmpty();
  }

  @Test
  void aBodyCanBeDroppedInItsMiddle() {
    channel.arrive(POST + "Content-Length: 5\r\n\r\nhe");
    pulled();
    decoder.dropInput(100, () -> {});
    channel.arrive("llo" + GET);
    channel.pull();
    assertThat(channel.inboundMessages()).isEmpty();
    assertThat(decoder.bodyBytesLeft()).isZero();
    assertThat(channel.isActive()).isTrue();
  }

  @Test
  void aHalfCloseInTheMiddleIsReported() {
    channel.arrive(POST + "Content-Length: 5\r\n\r\nhe");
    pulled();
    text(pulled());
    channel.pull();
    channel.arriveHalfClose();
    assertThat(events.seen).containsExactly("TRUNCATED_REQUEST", "ChannelInputShutdownEvent");
    int reads = channel.reads();
    channel.pull();
    assertThat(channel.reads()).as("a read would spin").isEqualTo(reads);
  }

  @Test
  void aClientThatLeavesWhileItsRequestIsInWorkIsSeen() {
    channel.arrive(GET);
    pulled();
    pulled();
    channel.arriveHalfClose();
    assertThat(events.seen).containsExactly("ChannelInputShutdownEvent");
    assertThat(decoder.mayContinue()).isFalse();
  }

  @Test
  void aCloseInTheMiddleOfAHeadIsReported() {
    channel.arrive("GET /v1/mod");
    channel.pull();
    channel.arriveClose();
    assertThat(events.seen).containsExactly("TRUNCATED_REQUEST", "inactive");
  }

  @Test
  void aCloseBetweenRequestsIsQuiet() {
    channel.pull();
    channel.arriveClose();
    assertThat(events.seen).containsExactly("inactive");
  }

  @Test
  void heldBytesAreFreedWhenTheConnectionCloses() {
    ByteBuf bytes = channel.alloc().buffer().writeBytes(GET.getBytes(StandardCharsets.US_ASCII));
    channel.arrive(bytes.writeBytes(GET.getBytes(StandardCharsets.US_ASCII)));
    pulled();
    pulled();
    assertThat(bytes.refCnt()).isEqualTo(1);
    var _ = channel.close();
    assertThat(bytes.refCnt()).isZero();
  }

  private Object pulled() {
    channel.pull();
    assertThat(channel.inboundMessages()).as("one message per read").hasSize(1);
    return channel.readInbound();
  }

  private static String text(Object message) {
    ByteBuf bytes = (ByteBuf) message;
    String text = bytes.toString(StandardCharsets.ISO_8859_1);
    bytes.release();
    return text;
  }

  /** Records the other events of the pipeline. */
  private static final class Events extends ChannelInboundHandlerAdapter {
    private final List<String> seen = new ArrayList<>();

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      seen.add(event instanceof Enum<?> e ? e.name() : event.getClass().getSimpleName());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      seen.add("inactive");
      ctx.fireChannelInactive();
    }
  }
}
