package dev.tollgate.server.control;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.server.control.CallHandling.Call;
import dev.tollgate.server.control.route.ControlReply;
import dev.tollgate.server.control.route.SessionCookie;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One call from its complete body to its reply. It is carried out on a thread of its own, and
 * answered on the loop, once: a reply to a client that has left, or behind the end of a drain, is
 * dropped.
 */
final class RunningCall implements Running, CallThreads.Work {
  static final Fault BUSY =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "Too many calls are being answered.")
          .withRetryAfter(1);

  private final Call call;
  private final byte @Nullable [] body;
  private final Downstream downstream;
  private final CallHandling handling;
  private final ReplyEncoder encoder;
  private boolean ended; // confined to the loop

  RunningCall(
      Call call,
      byte @Nullable [] body,
      Downstream downstream,
      CallHandling handling,
      ReplyEncoder encoder) {
    this.call = call;
    this.body = body;
    this.downstream = downstream;
    this.handling = handling;
    this.encoder = encoder;
  }

  @Override
  public void run() {
    send(handling.answer(call, body));
  }

  @Override
  public void refuse() {
    send(CallHandling.Outcome.failed(BUSY));
  }

  private void send(CallHandling.Outcome outcome) {
    try {
      downstream.loop().execute(() -> sendOnLoop(outcome));
    } catch (RejectedExecutionException _) {
      // The loop has ended, and with it the connection.
    }
  }

  /** Answers at once, for calls that never block. */
  void answerOnLoop() {
    sendOnLoop(handling.answer(call, body));
  }

  private void sendOnLoop(CallHandling.Outcome outcome) {
    if (ended) {
      return;
    }
    ended = true;
    Reply reply =
        switch (outcome) {
          case CallHandling.Outcome.Failed failed ->
              encoder.refusal(failed.fault(), failed.fields());
          case CallHandling.Outcome.Done done ->
              encoder.encode(
                  withFields(done.reply(), done.fields()),
                  call.request().head(),
                  downstream.allocator());
        };
    downstream.send(reply);
    downstream.flush();
  }

  /** A session that the handler made counts more than the one that the call came with. */
  private static ControlReply withFields(ControlReply reply, List<Field> fields) {
    boolean hasCookie =
        reply.fields().stream().anyMatch(field -> field.name().equals(SessionCookie.FIELD));
    ControlReply all = reply;
    for (Field field : fields) {
      all = hasCookie && field.name().equals(SessionCookie.FIELD) ? all : all.with(field);
    }
    return all;
  }

  @Override
  public void clientDisconnected(DisconnectReason exit) {
    ended = true;
  }

  @Override
  public void writabilityChanged() {}

  @Override
  public void cutShort(Fault fault) {
    sendOnLoop(CallHandling.Outcome.failed(fault));
  }
}
