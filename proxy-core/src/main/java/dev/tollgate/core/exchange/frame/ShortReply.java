package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the single reply and the record of a request that needs no provider; a client that
 * disconnected gets no reply.
 */
public record ShortReply(RequestObserver observer, ExchangeRequest request, Downstream downstream) {

  public void answer(JsonBytes json) {
    answer(200, List.of(), json, null);
  }

  /** Sends a successful reply. */
  public void answer(
      int status, List<FieldLines> fields, @Nullable JsonBytes json, @Nullable Served served) {
    answer(status, RequestOutcome.OK, fields, json, served);
  }

  /**
   * Sends a reply.
   *
   * @param json null for an empty body
   */
  public void answer(
      int status,
      RequestOutcome outcome,
      List<FieldLines> fields,
      @Nullable JsonBytes json,
      @Nullable Served served) {
    RequestLoop.check(downstream.loop());
    ByteBuf body = downstream.allocator().buffer();
    if (json != null) {
      new JsonWriter(body).raw(json);
    }
    int bytes = body.readableBytes();
    downstream.send(new Reply.Whole(status, "application/json", fields, body));
    downstream.flush();
    record(outcome, null, status, bytes, served);
  }

  public void refuse(Fault fault, RequestOutcome outcome) {
    refuse(fault, outcome, List.of(), null);
  }

  /**
   * Refuses a request.
   *
   * @param served the record's part about routing; null if it was not reached
   */
  public void refuse(
      Fault fault, RequestOutcome outcome, List<FieldLines> fields, @Nullable Served served) {
    RequestLoop.check(downstream.loop());
    downstream.send(new Reply.Refused(fault, fields));
    downstream.flush();
    record(outcome, fault, fault.code().status(), 0, served);
  }

  /** Records a disconnect ahead of the reply. */
  public void clientDisconnected(DisconnectReason reason) {
    record(RequestOutcome.of(reason), null, 0, 0);
  }

  private void record(RequestOutcome outcome, @Nullable Fault fault, int status, long bytes) {
    record(outcome, fault, status, bytes, null);
  }

  private void record(
      RequestOutcome outcome,
      @Nullable Fault fault,
      int status,
      long bytes,
      @Nullable Served served) {
    long now = downstream.loop().ticker().nanoTime();
    observer.ended(request.record(outcome, fault, status, served, bytes, now));
  }
}
