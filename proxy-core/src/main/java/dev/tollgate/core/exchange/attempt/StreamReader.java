package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.ReplyEventStream;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.json.JsonDefect;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.sse.StreamDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a provider's event stream: translates its events into the client's format, one output
 * buffer for each read, and records how the stream ended. Loop-confined.
 */
final class StreamReader implements SseSink, FlowReader {
  private final StreamDecoder decoder;
  private final ReplyEventStream reply;
  private final ByteBufAllocator allocator;
  private final StreamFraming framing;
  private final int eventBytesMax;
  private @Nullable ByteBuf out;
  private State state = State.OPEN;
  private boolean unsolicited;
  private boolean ending;
  private boolean cutOff;
  private Set<ProtocolAnomaly> repaired = Set.of();
  private byte @Nullable [] errorEvent;

  /** State of the provider's stream. */
  enum State {
    OPEN,
    /** {@code [DONE]} arrived. */
    DONE,
    /** An error event arrived. */
    ERROR,
    /** The finish reason means failure. */
    FAILED,
    /** An event was not a chunk, and may have had content. */
    BROKEN,
    /** One event was larger than {@code max_event_bytes}. */
    OVERSIZED,
    /** The answer differs from the one that it should continue. */
    DIVERGED
  }

  /**
   * @param translation from the dialect of the provider; empty if its events are canonical
   */
  StreamReader(
      ReplyEventStream reply,
      Optional<? extends ReplyTranslation> translation,
      StreamFraming framing,
      int eventBytesMax,
      ByteBufAllocator allocator) {
    this.reply = reply;
    SseSink events = translation.isEmpty() ? this : translation.get().stream(this);
    this.framing = framing;
    this.decoder = framing.decoder(events, eventBytesMax);
    this.allocator = allocator;
    this.eventBytesMax = eventBytesMax;
  }

  /** Returns the reader for the stream with which a candidate answers a call. */
  static StreamReader of(
      InferenceCall call, Candidate candidate, Dialect dialect, ByteBufAllocator allocator) {
    return new StreamReader(
        call.stream(candidate.id()),
        call.replies(dialect, candidate.provider()),
        dialect.framing(),
        candidate.provider().eventBytesMax(),
        allocator);
  }

  /**
   * Reads more bytes, also behind {@code [DONE]} to detect unsolicited ones. The bytes stay owned
   * by the caller.
   */
  @Override
  public void feed(ByteBuf bytes) {
    if (state == State.OPEN || state == State.DONE) {
      decoder.feed(bytes);
    }
  }

  /** Called when the provider's body ended cleanly: a last event without its blank line counts. */
  @Override
  public void end() {
    if (state == State.OPEN) {
      cutOff =
          framing == StreamFraming.FRAMES && decoder.isMidEvent(); // a frame declares its length
      ending = true;
      decoder.finish();
    }
  }

  @Override
  public void event(String name, byte[] data, int from, int to) {
    if (state != State.OPEN) {
      unsolicited = true;
      return;
    }
    switch (step(name, data, from, to)) {
      case WROTE -> {
        if (reply.keptBytes() > eventBytesMax) {
          close(State.OVERSIZED); // the last event exceeds the limit
        }
      }
      case DROPPED, ABSORBED -> {}
      case DONE -> state = State.DONE;
      case FAILED -> close(State.FAILED);
      case BROKEN -> {
        if (!ending) { // else the connection ended within its last event
          close(State.BROKEN);
        }
      }
      case DIVERGED -> close(State.DIVERGED);
      case ERROR -> {
        errorEvent = Arrays.copyOfRange(data, from, to);
        close(State.ERROR);
      }
    }
  }

  private ReplyEventStream.Step step(String name, byte[] data, int from, int to) {
    return name.equals("error")
        ? reply.errorEvent(data, from, to, output())
        : reply.event(data, from, to, output());
  }

  @Override
  public void repaired(Set<JsonDefect> defects) {
    repaired = ProtocolAnomaly.with(repaired, defects);
  }

  @Override
  public void comment() {}

  @Override
  public void oversized(int eventBytesMax) {
    if (state == State.OPEN) {
      close(State.OVERSIZED);
    }
    unsolicited = true;
  }

  private void close(State end) {
    state = end;
    decoder.close();
  }

  private ByteBuf output() {
    ByteBuf buffer = out;
    if (buffer == null) {
      buffer = allocator.buffer(1024);
      out = buffer;
    }
    return buffer;
  }

  /** Returns the client's bytes since the last call; null if there are none. */
  @Override
  public @Nullable ByteBuf takeOutput() {
    ByteBuf buffer = out;
    out = null;
    if (buffer != null && !buffer.isReadable()) {
      buffer.release();
      return null;
    }
    return buffer;
  }

  State state() {
    return state;
  }

  /** True once an event marked the end of the stream. */
  @Override
  public boolean isEnded() {
    return state != State.OPEN;
  }

  /** True if events followed {@code [DONE]}: the connection must not be reused. */
  @Override
  public boolean hasUnsolicitedBytes() {
    return unsolicited;
  }

  /** Returns the deviations from the wire format so far. */
  @Override
  public Set<ProtocolAnomaly> anomalies() {
    Set<ProtocolAnomaly> ofEvents = ProtocolAnomaly.union(repaired, reply.anomalies());
    Set<ProtocolAnomaly> ofReply = cutOff ? ProtocolAnomaly.CUT_OFF.and(ofEvents) : ofEvents;
    return unsolicited && state == State.DONE
        ? ProtocolAnomaly.UNSOLICITED_BYTES.and(ofReply)
        : ofReply;
  }

  /** Returns the data of the error event. */
  byte[] errorEvent() {
    byte[] event = errorEvent;
    if (event == null) {
      throw new IllegalStateException("no error event came");
    }
    return event;
  }

  @Override
  public boolean endsWithConnection() {
    return true; // the events show whether it was complete
  }

  @Override
  public @Nullable UpstreamFailure failure(Dialect dialect, int status) {
    return StreamVerdict.failure(this, dialect, status);
  }

  @Override
  public boolean midEvent() {
    return decoder.isMidEvent();
  }

  /** Returns the buffered bytes of incomplete events, before and after translation. */
  @Override
  public int heldBytes() {
    return decoder.heldBytes() + reply.keptBytes();
  }

  /** Returns the reply in the client's format, with its counts. */
  @Override
  public ReplyEventStream reply() {
    return reply;
  }

  @Override
  public void release() {
    decoder.close();
    reply.release();
    ByteBuf buffer = out;
    out = null;
    if (buffer != null) {
      buffer.release();
    }
  }
}
