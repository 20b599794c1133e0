package dev.tollgate.core.exchange;

import dev.tollgate.core.exchange.RequestRecord.Served;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonOut;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The end of a request that needs no provider: one reply, if anybody waits for it, one record. */
record ShortReply(Observer observer, ExchangeRequest request, Downstream downstream) {

  void answer(JsonBytes json) {
    answer(200, List.of(), json, null);
  }

  /** Answers well. */
  void answer(
      int status, List<FieldLines> fields, @Nullable JsonBytes json, @Nullable Served served) {
    answer(status, Ending.OK, fields, json, served);
  }

  /**
   * Answers a request of which more is known than its endpoint.
   *
   * @param json null: there is nothing to say
   */
  void answer(
      int status,
      Ending ending,
      List<FieldLines> fields,
      @Nullable JsonBytes json,
      @Nullable Served served) {
    ByteBuf body = downstream.allocator().buffer();
    if (json != null) {
      new JsonOut(body).raw(json);
    }
    int bytes = body.readableBytes();
    downstream.send(new Reply.Whole(status, "application/json", fields, body));
    downstream.flush();
    record(ending, null, status, bytes, served);
  }

  void refuse(Fault fault, Ending ending) {
    refuse(fault, ending, List.of(), null);
  }

  /**
   * Refuses a request of which more is known than its endpoint.
   *
   * @param served what routing did; null: it was not reached
   */
  void refuse(Fault fault, Ending ending, List<FieldLines> fields, @Nullable Served served) {
    downstream.send(new Reply.Refused(fault, fields));
    downstream.flush();
    record(ending, fault.code(), fault.code().status(), 0, served);
  }

  /** The client left before there was a reply. */
  void unheard(ClientExit exit) {
    record(Ending.of(exit), null, 0, 0);
  }

  private void record(Ending ending, @Nullable ErrorCode code, int status, long bytes) {
    record(ending, code, status, bytes, null);
  }

  private void record(
      Ending ending, @Nullable ErrorCode code, int status, long bytes, @Nullable Served served) {
    long now = downstream.loop().ticker().nanoTime();
    observer.ended(request.record(ending, code, status, served, bytes, now));
  }
}
