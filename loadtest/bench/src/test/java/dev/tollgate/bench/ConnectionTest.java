package dev.tollgate.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.ResponseDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Counts and latencies of one connection, with a manual clock. */
class ConnectionTest {
  private static final String PLAIN = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  private static final long TIMEOUT_NANOS = 1_000;

  private final Tally tally = new Tally();
  private final List<String> events = new ArrayList<>();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Connection connection;
  private long nowNanos;

  ConnectionTest() {
    ResponseDecoder decoder = new ResponseDecoder();
    Connection.Owner owner =
        new Connection.Owner() {
          @Override
          public void freed(Connection which, long atNanos) {
            events.add("freed");
          }

          @Override
          public void spent(Connection which, long atNanos) {
            events.add("spent");
          }

          @Override
          public void closed(Connection which) {
            events.add("closed");
          }
        };
    connection = new Connection(channel, decoder, owner, () -> nowNanos);
    channel.pipeline().addLast(decoder, connection);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void ask(RequestTemplate.Reply reply, long intendedNanos) {
    ByteBuf request =
        Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("POST / HTTP/1.1\r\n\r\n", US_ASCII));
    connection.send(new RequestTemplate(request, reply, tally), intendedNanos, nowNanos);
  }

  private void receive(String bytes) {
    channel.writeInbound(Unpooled.copiedBuffer(bytes, US_ASCII));
  }

  @Test
  void latencyCountsFromTheIntendedStart() {
    nowNanos = 150;
    ask(new RequestTemplate.Reply.Plain(), 100);
    nowNanos = 180;
    receive(PLAIN.substring(0, 30));
    nowNanos = 220;
    receive(PLAIN.substring(30));
    assertThat(tally.latency().getMaxValue()).isEqualTo(120);
    assertThat(tally.late().getMaxValue()).isEqualTo(50);
    assertThat(events).containsExactly("freed");
  }

  @Test
  void aSecondRequestFollowsOnTheSameConnection() {
    for (int i = 0; i < 3; i++) {
      ask(new RequestTemplate.Reply.Plain(), nowNanos);
      receive(PLAIN);
    }
    assertThat(tally.answeredCount()).isEqualTo(3);
    assertThat(events).containsExactly("freed", "freed", "freed");
  }

  @Test
  void anErrorStatusIsAFailureAndItsTextIsKept() {
    ask(new RequestTemplate.Reply.Plain(), 0);
    receive("HTTP/1.1 429 Too\r\nContent-Length: 9\r\n\r\nslow down");
    assertThat(tally.failures()).containsExactly(Map.entry(Failure.STATUS, 1L));
    assertThat(tally.firstProblem()).isEqualTo("429: slow down");
    assertThat(tally.latency().getTotalCount()).isZero();
    assertThat(events).containsExactly("freed");
  }

  @Test
  void aTruncatedResponseIsAFailure() {
    ask(new RequestTemplate.Reply.Plain(), 0);
    receive(PLAIN.substring(0, PLAIN.length() - 1));
    channel.close();
    assertThat(tally.failures()).containsKey(Failure.BROKEN);
    assertThat(events).first().isEqualTo("spent");
  }

  @Test
  void theReasonOfATruncatedStreamIsItsErrorEvent() {
    ask(new RequestTemplate.Reply.Streamed(Script.NONE), 0);
    receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    receive(chunk("data: {\"error\":{\"code\":\"stream_interrupted\"}}\n\n"));
    receive(chunk("data: [DONE]\n\n"));
    channel.close();
    assertThat(tally.failures()).containsExactly(Map.entry(Failure.ERROR_EVENT, 1L));
  }

  @Test
  void unsolicitedBytesAreAFailure() {
    ask(new RequestTemplate.Reply.Plain(), 0);
    receive(PLAIN + PLAIN);
    assertThat(tally.failures()).containsExactly(Map.entry(Failure.MALFORMED, 1L));
    assertThat(tally.answeredCount()).isZero();
  }

  @Test
  void aTimedOutRequestCountsAsALatency() {
    ask(new RequestTemplate.Reply.Plain(), 0);
    connection.expire(TIMEOUT_NANOS, TIMEOUT_NANOS);
    assertThat(events).isEmpty();
    connection.expire(TIMEOUT_NANOS + 1, TIMEOUT_NANOS);
    assertThat(tally.failures()).containsKey(Failure.TIMEOUT);
    assertThat(tally.latency().getMaxValue())
        .isEqualTo(tally.latency().highestEquivalentValue(TIMEOUT_NANOS + 1));
    assertThat(channel.isActive()).isFalse();
  }

  @Test
  void theFirstTokenIsTheFirstContent() {
    ask(new RequestTemplate.Reply.Streamed(Script.NONE), 10);
    receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    nowNanos = 50;
    receive(chunk("data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\n"));
    nowNanos = 70;
    receive(chunk("data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"));
    nowNanos = 90;
    receive(chunk("data: [DONE]\n\n") + "0\r\n\r\n");
    assertThat(tally.firstToken().getMaxValue()).isEqualTo(60);
    assertThat(tally.latency().getMaxValue()).isEqualTo(80);
    assertThat(tally.events()).isEqualTo(3);
    assertThat(tally.answeredCount()).isOne();
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
  }
}
