package dev.tollgate.server.control;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.server.control.CallHandling.Call;
import dev.tollgate.server.control.route.ControlReply;
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
    send(new ControlReply.Failure(BUSY, List.of()));
  }

  private void send(ControlReply reply) {
    try {
      downstream.loop().execute(() -> sendOnLoop(reply));
    } catch (RejectedExecutionException _) {
      // The loop has ended, and with it the connection.
    }
  }

  /** Answers at once, for calls that never block. */
  void answerOnLoop() {
    sendOnLoop(handling.answer(call, body));
  }

  private void sendOnLoop(ControlReply reply) {
    if (ended) {
      return;
    }
    ended = true;
    downstream.send(encoder.encode(reply, call.request().head(), downstream.allocator()));
    downstream.flush();
  }

  @Override
  public void clientDisconnected(DisconnectReason exit) {
    ended = true;
  }

  @Override
  public void writabilityChanged() {}

  @Override
  public void cutShort(Fault fault) {
    sendOnLoop(new ControlReply.Failure(fault, List.of()));
  }
}
