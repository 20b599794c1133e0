package dev.tollgate.core.exchange;

import dev.tollgate.core.claim.StoredReply;
import dev.tollgate.core.endpoint.BrokenStream;
import dev.tollgate.core.endpoint.ReplyFlow;
import dev.tollgate.core.endpoint.ReplyStream;
import dev.tollgate.core.endpoint.SpeechBytes;
import dev.tollgate.core.endpoint.WholeReply;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Refusal;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What an exchange gives its client: the head with what is known by then, pings while it waits, and
 * the last words with their cost. Loop-confined.
 */
final class Delivery {
  private static final Field ESTIMATED = new Field("X-LLM-Cost-Estimated", "true");
  private static final Field REPLAYED = new Field("Idempotent-Replayed", "true");

  private final ClientReply reply;
  private final Serving serving;
  private final Allowance allowance;
  private final Timeline timeline;
  private final LongSupplier now;
  private boolean committedEarly;

  /**
   * @param now the loop's ticker
   */
  Delivery(
      ClientReply reply,
      Serving serving,
      Allowance allowance,
      Timeline timeline,
      LongSupplier now) {
    this.reply = reply;
    this.serving = serving;
    this.allowance = allowance;
    this.timeline = timeline;
    this.now = now;
  }

  /** A stream's head, if it was not sent yet: before its cost is known, as a rule. */
  void open() {
    if (reply.isOpened()) {
      return;
    }
    switch (serving.call().request().mode()) {
      case WHOLE -> throw new IllegalStateException("a plain reply is not opened");
      case EVENTS -> reply.open(fields(serving.estimate()));
      case BYTES -> openBytes();
    }
  }

  /** What is priced by what was asked, and not by what comes of it, is known already. */
  private void openBytes() {
    Charge charge = serving.chargeOfWhole();
    boolean estimated = charge.usage().estimated();
    List<FieldLines> fields =
        new ArrayList<>(fields(estimated ? serving.estimate() : charge.cost()));
    if (estimated) {
      fields.add(ESTIMATED);
    }
    reply.openBytes(serving.call().bytesType(serving.attempt().contentType()), fields);
  }

  /** The client of a stream has not been sent a byte for a while (DECISIONS 2). */
  void ping() {
    committedEarly |= !reply.isOpened();
    open();
    reply.ping();
  }

  /** The end of a stream that is complete. */
  Parting endOf(ReplyFlow flow, Charge charge) {
    open();
    return new Parting.Last(
        switch (flow) {
          case ReplyStream stream -> counted(written(512, last -> end(stream, charge, last)));
          case SpeechBytes _ -> Unpooled.EMPTY_BUFFER;
        });
  }

  private static void end(ReplyStream stream, Charge charge, ByteBuf last) {
    if (!stream.finished()) {
      stream.writeMissingFinish(last);
    }
    stream.writeUsage(charge.usage(), charge.cost(), last);
    SseOut.done(last);
  }

  /**
   * A plain reply, also in place of a stream, if that was not opened yet.
   *
   * @param stored has the place that the provider's reply took; null: its try has it still
   */
  Parting whole(WholeReply whole, Charge charge, @Nullable Storing stored) {
    if (reply.isOpened()) {
      return new Parting.Last(counted(written(1024, out -> event(whole, charge, out))));
    }
    ByteBuf body = written(1024, out -> whole.writeTo(charge.usage(), charge.cost(), out));
    ByteBuf counted = stored == null ? counted(body) : stored.counted(body);
    return new Parting.Whole(200, whole.contentType(), fieldsOf(charge), counted);
  }

  /** What was stored for the request's key, by whoever carried it out. */
  static Parting replay(StoredReply stored, Timeline timeline, long nowNanos) {
    List<FieldLines> fields = new ArrayList<>(stored.fields());
    fields.add(REPLAYED);
    fields.add(ReplyFields.overhead(timeline, nowNanos));
    return new Parting.Whole(stored.status(), stored.contentType(), fields, stored.body());
  }

  private static void event(WholeReply whole, Charge charge, ByteBuf out) {
    whole.writeEventTo(charge.usage(), charge.cost(), out);
    SseOut.done(out);
  }

  private ByteBuf counted(ByteBuf body) {
    return serving.attempt().counted(body);
  }

  private List<FieldLines> fieldsOf(Charge charge) {
    List<FieldLines> fields = new ArrayList<>(fields(charge.cost()));
    if (charge.usage().estimated()) {
      fields.add(ESTIMATED);
    }
    return fields;
  }

  /** A fault: as the reply, or in an opened stream behind its usage (DECISIONS 2). */
  Parting fault(Fault fault, Charge charge) {
    return reply.isOpened()
        ? broken(fault, charge, fields(charge.cost()))
        : new Parting.Refusal(null, BrokenStream.unopened(fault), fields(charge.cost()));
  }

  /** A refusal of a request that no provider has seen. */
  Parting refusal(Fault fault) {
    return new Parting.Refusal(null, BrokenStream.unopened(fault), fields(MicroUsd.ZERO));
  }

  /** The same of one that nobody can be asked for any more. */
  Parting refusal(Refusal refusal) {
    List<FieldLines> fields = ReplyFields.of(refusal);
    return reply.isOpened()
        ? broken(refusal.fault(), Charge.NOTHING, fields)
        : new Parting.Refusal(null, BrokenStream.unopened(refusal.fault()), fields);
  }

  private Parting broken(Fault fault, Charge charge, List<FieldLines> fields) {
    return switch (serving.lastStream()) {
      case ReplyStream stream -> broken(stream, fault, charge, fields);
      case SpeechBytes _ -> new Parting.Refusal(null, BrokenStream.unopened(fault), fields);
    };
  }

  private Parting broken(ReplyStream stream, Fault fault, Charge charge, List<FieldLines> fields) {
    ByteBuf usage = reply.buffer(512);
    try {
      BrokenStream told = stream.broken(fault, charge.usage(), charge.cost(), usage);
      return new Parting.Refusal(unlessEmpty(usage), told, fields);
    } catch (RuntimeException | OutOfMemoryError surprise) {
      usage.release();
      throw surprise;
    }
  }

  /** Not all streams have a place for it. */
  private static @Nullable ByteBuf unlessEmpty(ByteBuf events) {
    if (events.isReadable()) {
      return events;
    }
    events.release();
    return null;
  }

  /** The status that the client sees; a stream's head went out with its own. */
  int status(int unopened) {
    return reply.isOpened() ? 200 : unopened;
  }

  private ByteBuf written(int bytes, Consumer<ByteBuf> write) {
    ByteBuf out = reply.buffer(bytes);
    try {
      write.accept(out);
      return out;
    } catch (RuntimeException | OutOfMemoryError surprise) {
      out.release();
      throw surprise;
    }
  }

  private List<FieldLines> fields(MicroUsd cost) {
    return allowance.addedTo(serving.fields(cost, committedEarly, timeline, now.getAsLong()));
  }
}
