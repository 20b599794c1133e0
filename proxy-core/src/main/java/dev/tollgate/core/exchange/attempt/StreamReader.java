package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.ReplyEventStream;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.StreamFraming;
import dev.tollgate.core.dialect.UpstreamFailure;
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
 * Turns the bytes of a provider's stream into the client's bytes: one output buffer for each read,
 * whatever number of events it brought. Remembers how the stream ended. Loop-confined.
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
  private boolean cutOff;
  private byte @Nullable [] errorEvent;

  /** Whether and how the provider's stream ended. */
  enum State {
    OPEN,
    /** {@code [DONE]} came. */
    DONE,
    /** An error event came. */
    ERROR,
    /** The provider finished with a reason that means failure. */
    FAILED,
    /** Too many events in a row were no chunks. */
    BROKEN,
    /** One event was larger than {@code max_event_bytes}. */
    OVERSIZED,
    /** It is another answer than the one that it should continue. */
    DIVERGED
  }

  /**
   * @param translation what is done to its events; empty: they are canonical
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

  /** The reader of what a candidate answers a call with. */
  static StreamReader of(
      InferenceCall call, Candidate candidate, Dialect dialect, ByteBufAllocator allocator) {
    return new StreamReader(
        call.stream(candidate.id()),
        dialect.replies(call.request().operation(), candidate.provider()),
        dialect.framing(),
        candidate.provider().eventBytesMax(),
        allocator);
  }

  /**
   * Reads on, also behind {@code [DONE]} to see whether that was all. The bytes stay the caller's.
   */
  @Override
  public void feed(ByteBuf bytes) {
    if (state == State.OPEN || state == State.DONE) {
      decoder.feed(bytes);
    }
  }

  /** The provider's stream is at its clean end: a last event without its blank line counts. */
  @Override
  public void end() {
    if (state == State.OPEN) {
      cutOff = framing == StreamFraming.FRAMES && decoder.isMidEvent(); // it says how long it is
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
          close(State.OVERSIZED); // its last event would be
        }
      }
      case DROPPED, ABSORBED -> {}
      case DONE -> state = State.DONE;
      case FAILED -> close(State.FAILED);
      case BROKEN -> close(State.BROKEN);
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

  /** What the client gets of the reads since the last call, or null where that is nothing. */
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

  /** Whether an event said that the stream is over. */
  @Override
  public boolean isEnded() {
    return state != State.OPEN;
  }

  /** Whether events came behind {@code [DONE]}: such a connection is not to be trusted again. */
  @Override
  public boolean hasUnsolicitedBytes() {
    return unsolicited;
  }

  /** What is odd about it, whether or not it is complete. */
  @Override
  public Set<ProtocolAnomaly> anomalies() {
    Set<ProtocolAnomaly> ofReply =
        cutOff ? ProtocolAnomaly.CUT_OFF.and(reply.anomalies()) : reply.anomalies();
    return unsolicited && state == State.DONE
        ? ProtocolAnomaly.UNSOLICITED_BYTES.and(ofReply)
        : ofReply;
  }

  /** The data of the event that was an error. */
  byte[] errorEvent() {
    byte[] event = errorEvent;
    if (event == null) {
      throw new IllegalStateException("no error event came");
    }
    return event;
  }

  @Override
  public boolean endsWithConnection() {
    return true; // whether that was complete, its events say
  }

  @Override
  public @Nullable UpstreamFailure failure(Dialect dialect, int status) {
    return StreamVerdict.failure(this, dialect, status);
  }

  @Override
  public boolean midEvent() {
    return decoder.isMidEvent();
  }

  /** What is held of events that are not complete, on either side. */
  @Override
  public int heldBytes() {
    return decoder.heldBytes() + reply.keptBytes();
  }

  /** What was made of the events. */
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
