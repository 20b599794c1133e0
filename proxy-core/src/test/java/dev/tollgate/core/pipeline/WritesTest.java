package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.Reply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many buffers leave: each one costs an entry of the queue, and large ones are not copied. */
final class WritesTest {
  private final FrozenClient client = new FrozenClient();

  @AfterEach
  void close() {
    client.channel.finishAndReleaseAll();
  }

  @Test
  void aPlainReplyLeavesInOneBuffer() {
    client.send(client.get());
    assertThat(client.channel.outboundMessages()).hasSize(1);
    assertThat(client.received())
        .startsWith("HTTP/1.1 200 OK\r\n")
        .endsWith("\r\n\r\n{\"ok\":true}");
  }

  @Test
  void aRefusalLeavesInOneBuffer() {
    client.send("GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(client.channel.outboundMessages()).hasSize(1);
  }

  @Test
  void anEventLeavesInOneBufferAndALargeOneUncopied() throws Exception {
    client.service.hold();
    client.send(client.get());
    var call = client.service.awaitCall();
    call.open();
    call.event("one");
    assertThat(client.channel.outboundMessages()).hasSize(2);
    assertThat(client.received()).endsWith("\r\n\r\nb\r\ndata: one\n\n\r\n");
    ByteBuf large = Unpooled.wrappedBuffer(new byte[100_000]);
    call.downstream.send(new Reply.Piece(large));
    call.downstream.flush();
    assertThat(client.channel.outboundMessages()).hasSize(3).contains(large);
    client.received();
    call.end();
    assertThat(client.received()).isEqualTo("0\r\n\r\n");
  }

  @Test
  void aLargeReplyIsNotCopied() {
    ByteBuf large = Unpooled.wrappedBuffer(new byte[100_000]);
    client.service.script(
        call -> {
          call.downstream.send(new Reply.Whole(200, "application/json", List.of(), large));
          call.downstream.flush();
        });
    client.send(client.get());
    assertThat(client.channel.outboundMessages()).hasSize(2).contains(large);
  }

  @Test
  void anEmptyPieceDoesNotEndTheStream() throws Exception {
    client.service.hold();
    client.send(client.get());
    var call = client.service.awaitCall();
    call.open();
    client.received();
    call.downstream.send(new Reply.Piece(Unpooled.EMPTY_BUFFER));
    call.downstream.flush();
    assertThat(client.received()).isEmpty();
    call.end();
  }
}
