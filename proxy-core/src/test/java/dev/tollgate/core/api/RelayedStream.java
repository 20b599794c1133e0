package dev.tollgate.core.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ReplyEventStream.Step;
import dev.tollgate.core.api.chat.ChatStream;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.SseWriter;
import dev.tollgate.core.sse.StreamDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A provider's stream as a client gets it: read in pieces, relayed, and ended as the exchange does.
 * After an error the output ends where the in-stream error event would follow.
 */
public final class RelayedStream implements SseSink {
  private static final int EVENT_BYTES_MAX = 4 << 20;
  private static final long PROMPT_TOKENS = 7;

  private final ReplyEventStream chat;
  private final StreamDecoder decoder;
  private final ByteBuf out = PooledByteBufAllocator.DEFAULT.buffer();
  private final List<Step> steps = new ArrayList<>();
  private Optional<Step> end = Optional.empty();
  private String text = "";
  private byte[] error = {};
  private Usage charged = Usage.ZERO;

  private RelayedStream(
      ReplyEventStream stream,
      Optional<? extends ReplyTranslation> translation,
      StreamFraming framing) {
    this.chat = stream;
    SseSink sink = translation.isEmpty() ? this : translation.get().stream(this);
    this.decoder = framing.decoder(sink, EVENT_BYTES_MAX);
  }

  /** Sizes of the reads of a stream. */
  public interface Cut {
    int next(int left);

    Cut WHOLE = left -> left;
    Cut BYTES = left -> 1;

    /** Returns the recorded sizes, and single bytes after them. */
    static Cut recorded(JsonNode sizes) {
      Iterator<JsonNode> next = sizes.elements();
      return left -> next.hasNext() ? Math.min(left, Math.max(1, next.next().asInt())) : 1;
    }

    static Cut random(Random random) {
      return left -> 1 + random.nextInt(Math.min(left, 40));
    }
  }

  public static RelayedStream of(String stream) {
    return of(stream.getBytes(StandardCharsets.UTF_8), Cut.WHOLE, Samples.stamp(), Samples.PRICES);
  }

  public static RelayedStream of(byte[] stream, Cut cut) {
    return of(stream, cut, Samples.stamp(), Samples.PRICES);
  }

  static RelayedStream of(byte[] stream, Cut cut, ReplyStamp stamp, PriceList prices) {
    return of(stream, cut, stamp, prices, Dialects.named("openai"));
  }

  public static RelayedStream of(
      byte[] stream, Cut cut, ReplyStamp stamp, PriceList prices, Dialect dialect) {
    return of(stream, cut, new ChatStream(stamp), prices, dialect);
  }

  /** Relays a stream of any kind. */
  public static RelayedStream of(
      byte[] stream, Cut cut, ReplyEventStream into, PriceList prices, Dialect dialect) {
    return of(stream, cut, into, prices, dialect.translation(), dialect.framing());
  }

  /** Relays a stream with a translation of the replies. */
  static RelayedStream of(
      byte[] stream,
      Cut cut,
      ReplyEventStream into,
      PriceList prices,
      Optional<? extends ReplyTranslation> translation,
      StreamFraming framing) {
    RelayedStream relayed = new RelayedStream(into, translation, framing);
    try {
      relayed.feed(stream, cut);
      relayed.conclude(prices);
      relayed.text = relayed.out.toString(StandardCharsets.UTF_8);
    } finally {
      relayed.chat.release();
      relayed.out.release();
    }
    return relayed;
  }

  private void feed(byte[] stream, Cut cut) {
    for (int at = 0; at < stream.length; ) {
      int length = cut.next(stream.length - at);
      decoder.feed(Unpooled.wrappedBuffer(stream, at, length));
      at += length;
    }
    decoder.finish();
  }

  /** Adds the missing finish, usage and terminator (docs/decisions/streaming.md#endings). */
  private void conclude(PriceList prices) {
    charged =
        chat.reportedUsage().orElseGet(() -> Usage.estimate(PROMPT_TOKENS, chat.deliveredTokens()));
    if (isComplete()) {
      if (!chat.finished()) {
        chat.writeMissingFinish(out);
      }
      chat.writeUsage(charged, cost(prices), out);
      SseWriter.done(out);
    }
  }

  public MicroUsd cost(PriceList prices) {
    return charged.totalTokens() == 0 ? MicroUsd.ZERO : Cost.ofTokens(charged, prices);
  }

  @Override
  public void event(String name, byte[] data, int from, int to) {
    if (end.isPresent()) {
      return;
    }
    byte[] before = Arrays.copyOfRange(data, from, to);
    Step step =
        name.equals("error")
            ? chat.errorEvent(data, from, to, out)
            : chat.event(data, from, to, out);
    if (!Arrays.equals(before, Arrays.copyOfRange(data, from, to))) {
      throw new AssertionError("the event's bytes were changed");
    }
    steps.add(step);
    switch (step) {
      case WROTE, DROPPED, ABSORBED -> {}
      case DONE, FAILED, BROKEN, DIVERGED -> end(step);
      case ERROR -> {
        error = before;
        end(step);
      }
    }
  }

  private void end(Step step) {
    end = Optional.of(step);
    decoder.close();
  }

  @Override
  public void comment() {}

  @Override
  public void oversized(int eventBytesMax) {
    throw new AssertionError("no event of a test is that large");
  }

  /** True if the stream counts as complete. */
  public boolean isComplete() {
    boolean done = end.filter(step -> step == Step.DONE).isPresent();
    return chat.finished() || (done && chat.contentSeen());
  }

  public List<Step> steps() {
    return steps;
  }

  /** Returns the step that ended the stream; empty if it ended without one. */
  public Optional<Step> endStep() {
    return end;
  }

  public byte[] error() {
    return error;
  }

  public ReplyEventStream chat() {
    return chat;
  }

  public Usage charged() {
    return charged;
  }

  /** Returns all output of the stream. */
  public String text() {
    return text;
  }

  public ClientView view() {
    return ClientView.of(text);
  }
}
