package dev.tollgate.core.exchange;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.api.ReplyByteStream;
import dev.tollgate.core.api.ReplyEventStream;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.exchange.attempt.CurrentAttempt;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.ClientReply;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.ReplyFields;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.NoProviderRefusal;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builder of the parts of an exchange's reply: the head with the facts known by then, pings, and
 * the final part with the cost. Loop-confined.
 */
final class ReplyComposer {
  private static final Field ESTIMATED = new Field("X-LLM-Cost-Estimated", "true");
  private static final Field REPLAYED = new Field("Idempotent-Replayed", "true");

  private final ClientReply reply;
  private final CurrentAttempt current;
  private final RateLimitPermit rateLimit;
  private boolean committedEarly;

  ReplyComposer(ClientReply reply, CurrentAttempt current, RateLimitPermit rateLimit) {
    this.reply = reply;
    this.current = current;
    this.rateLimit = rateLimit;
  }

  /** Sends the head of a stream, unless it was sent: mostly before the cost is known. */
  void open() {
    if (reply.isOpened()) {
      return;
    }
    switch (current.call().request().mode()) {
      case WHOLE -> throw new IllegalStateException("a plain reply is not opened");
      case EVENTS -> reply.open(fields(current.estimate()));
      case BYTES -> openBytes();
    }
  }

  /** Sends the head of a byte stream, with its cost if the request alone determines it. */
  private void openBytes() {
    Charge charge = current.chargeIfComplete();
    boolean estimated = charge.usage().estimated();
    List<FieldLines> fields =
        new ArrayList<>(fields(estimated ? current.estimate() : charge.cost()));
    if (estimated) {
      fields.add(ESTIMATED);
    }
    reply.openBytes(current.call().bytesType(current.attempt().contentType()), fields);
  }

  /**
   * Pings the client of a stream to which no byte was sent for a while
   * (docs/decisions/streaming.md#pings).
   */
  void ping() {
    committedEarly |= !reply.isOpened();
    open();
    reply.ping();
  }

  /** Returns the end of a complete stream. */
  FinalReply streamEnd(Charge charge) {
    open();
    return new FinalReply.StreamEnd(
        switch (current.stream()) {
          case ReplyEventStream stream ->
              counted(buildBuffer(512, last -> end(stream, charge, last)));
          case ReplyByteStream _ -> Unpooled.EMPTY_BUFFER;
        });
  }

  private static void end(ReplyEventStream stream, Charge charge, ByteBuf last) {
    if (!stream.finished()) {
      stream.writeMissingFinish(last);
    }
    stream.writeUsage(charge.usage(), charge.cost(), last);
    SseWriter.done(last);
  }

  /**
   * Returns a plain reply: as one event if a stream was opened already, else as the whole body.
   *
   * @param stored the upload that holds the permit of the provider's reply; null if the attempt
   *     still holds it
   */
  FinalReply whole(WholeReply whole, Charge charge, @Nullable OutputUpload stored) {
    if (reply.isOpened()) {
      return new FinalReply.StreamEnd(counted(buildBuffer(1024, out -> event(whole, charge, out))));
    }
    ByteBuf body = buildBuffer(1024, out -> whole.writeTo(charge.usage(), charge.cost(), out));
    ByteBuf counted = stored == null ? counted(body) : stored.counted(body);
    return new FinalReply.Whole(200, whole.contentType(), fieldsOf(charge), counted);
  }

  /** Returns the stored reply of an earlier request with the same idempotency key. */
  static FinalReply replay(StoredReply stored, Timeline timeline, long nowNanos) {
    List<FieldLines> fields = new ArrayList<>(stored.fields());
    fields.add(REPLAYED);
    fields.add(ReplyFields.overhead(timeline, nowNanos));
    return new FinalReply.Whole(stored.status(), stored.contentType(), fields, stored.body());
  }

  private static void event(WholeReply whole, Charge charge, ByteBuf out) {
    whole.writeEventTo(charge.usage(), charge.cost(), out);
    SseWriter.done(out);
  }

  private ByteBuf counted(ByteBuf body) {
    return current.attempt().counted(body);
  }

  private List<FieldLines> fieldsOf(Charge charge) {
    List<FieldLines> fields = new ArrayList<>(fields(charge.cost()));
    if (charge.usage().estimated()) {
      fields.add(ESTIMATED);
    }
    return fields;
  }

  /**
   * Returns a fault: as the reply, or in an opened stream behind its usage
   * (docs/decisions/streaming.md#endings).
   */
  FinalReply fault(Fault fault, Charge charge) {
    return reply.isOpened()
        ? broken(fault, charge, fields(charge.cost()))
        : new FinalReply.ErrorReply(null, BrokenStream.unopened(fault), fields(charge.cost()));
  }

  /** Returns the refusal of a request that was not sent to a provider. */
  FinalReply refusal(Fault fault) {
    return new FinalReply.ErrorReply(null, BrokenStream.unopened(fault), fields(MicroUsd.ZERO));
  }

  /** Returns the refusal when no candidate is left. */
  FinalReply refusal(NoProviderRefusal refusal) {
    List<FieldLines> fields = ReplyFields.of(refusal);
    return reply.isOpened()
        ? broken(refusal.fault(), Charge.NOTHING, fields)
        : new FinalReply.ErrorReply(null, BrokenStream.unopened(refusal.fault()), fields);
  }

  private FinalReply broken(Fault fault, Charge charge, List<FieldLines> fields) {
    return switch (current.lastStream()) {
      case ReplyEventStream stream -> broken(stream, fault, charge, fields);
      case ReplyByteStream _ ->
          new FinalReply.ErrorReply(null, BrokenStream.unopened(fault), fields);
    };
  }

  private FinalReply broken(
      ReplyEventStream stream, Fault fault, Charge charge, List<FieldLines> fields) {
    ByteBuf usage = reply.buffer(512);
    try {
      BrokenStream error = stream.broken(fault, charge.usage(), charge.cost(), usage);
      return new FinalReply.ErrorReply(nullIfEmpty(usage), error, fields);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      usage.release();
      throw unexpected;
    }
  }

  /** Returns null for an empty buffer: some event formats have no usage. */
  private static @Nullable ByteBuf nullIfEmpty(ByteBuf events) {
    if (events.isReadable()) {
      return events;
    }
    events.release();
    return null;
  }

  /** Returns the status that the client sees: 200 once a stream's head was sent. */
  int status(int unopened) {
    return reply.isOpened() ? 200 : unopened;
  }

  private ByteBuf buildBuffer(int bytes, Consumer<ByteBuf> write) {
    ByteBuf out = reply.buffer(bytes);
    try {
      write.accept(out);
      return out;
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      out.release();
      throw unexpected;
    }
  }

  private List<FieldLines> fields(MicroUsd cost) {
    return rateLimit.appendTo(current.fields(cost, committedEarly));
  }
}
