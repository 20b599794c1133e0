package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import io.netty.channel.ChannelHandlerContext;
import java.util.List;

/** Writer through which all handlers send their refusals, so that no handler forgets to flush. */
final class RefusalWriter {
  private static final List<FieldLines> CHALLENGE =
      List.of(new Field("WWW-Authenticate", "Bearer"));

  private RefusalWriter() {}

  /** Refuses a request because of what the client sent. */
  static void reject(ChannelHandlerContext ctx, ErrorCode code, String message) {
    refuse(ctx, Fault.of(code, message));
  }

  /** Refuses a request because of this node's state; recorded as {@code outcome}. */
  static void decline(
      ChannelHandlerContext ctx, ClientConnection connection, RequestOutcome outcome, Fault fault) {
    connection.refuseAs(outcome);
    refuse(ctx, fault);
  }

  static void refuse(ChannelHandlerContext ctx, Fault fault) {
    List<FieldLines> fields = fault.code().status() == 401 ? CHALLENGE : List.of();
    refuse(ctx, new Reply.Refused(fault, fields));
  }

  static void refuse(ChannelHandlerContext ctx, Reply.Refused refused) {
    var _ = ctx.write(refused, ctx.voidPromise());
    ctx.flush();
  }
}
