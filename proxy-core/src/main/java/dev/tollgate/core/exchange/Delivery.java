package dev.tollgate.core.exchange;

import dev.tollgate.core.endpoint.ReplyStream;
import dev.tollgate.core.endpoint.WholeReply;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Refusal;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What an exchange gives its client: the head with what is known by then, pings while it waits, and
 * the last words with their cost. Loop-confined.
 */
final class Delivery {
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

  /** A stream's head, if it was not sent yet: before its cost is known. */
  void open() {
    if (!reply.isOpened()) {
      reply.open(fields(serving.estimate()));
    }
  }

  /** The client of a stream has not been sent a byte for a while (DECISIONS 2). */
  void ping() {
    committedEarly |= !reply.isOpened();
    open();
    reply.ping();
  }

  /** The end of a stream that is complete. */
  Parting endOf(ReplyStream stream, Charge charge) {
    open();
    return new Parting.Last(
        written(
            512,
            last -> {
              if (!stream.finished()) {
                stream.writeMissingFinish(last);
              }
              stream.writeUsage(charge.usage(), charge.cost(), last);
              SseOut.done(last);
            }));
  }

  /** A plain reply. */
  Parting whole(WholeReply whole, Charge charge) {
    ByteBuf body = written(1024, out -> whole.writeTo(charge.usage(), charge.cost(), out));
    return new Parting.Whole(fields(charge.cost()), serving.attempt().counted(body));
  }

  /** A fault: as the reply, or in an opened stream behind its usage (DECISIONS 2). */
  Parting fault(Fault fault, Charge charge) {
    return new Parting.Refusal(usageIfOpened(charge), fault, fields(charge.cost()));
  }

  /** A refusal of a request that no provider has seen. */
  Parting refusal(Fault fault) {
    return new Parting.Refusal(null, fault, fields(MicroUsd.ZERO));
  }

  /** The same of one that nobody can be asked for any more. */
  Parting refusal(Refusal refusal) {
    ByteBuf usage = usageIfOpened(Charge.NOTHING);
    return new Parting.Refusal(usage, refusal.fault(), ReplyFields.of(refusal));
  }

  private @Nullable ByteBuf usageIfOpened(Charge charge) {
    if (!reply.isOpened()) {
      return null;
    }
    ReplyStream stream = serving.lastStream();
    return written(512, out -> stream.writeUsage(charge.usage(), charge.cost(), out));
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
