package dev.tollgate.core.pipeline;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.pipeline.LoadShedder.Shed;
import io.netty.channel.ChannelHandlerContext;
import java.util.stream.IntStream;

/**
 * Factory of the 503 replies to requests that load shedding refuses. The faults are made once, so
 * that thousands of refusals cost no more than their bytes.
 */
final class OverloadRefusal {
  /** Highest wait in seconds; longer ones are cut to it. */
  private static final int RETRY_AFTER_SECONDS_MAX = 60;

  private static final Fault[] FAULTS =
      IntStream.rangeClosed(0, RETRY_AFTER_SECONDS_MAX)
          .mapToObj(
              Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The service is overloaded.")::withRetryAfter)
          .toArray(Fault[]::new);

  private OverloadRefusal() {}

  static void decline(ChannelHandlerContext ctx, ClientConnection connection, Shed shed) {
    int seconds = Math.clamp(shed.retryAfterSeconds(), 1, RETRY_AFTER_SECONDS_MAX);
    RefusalWriter.decline(ctx, connection, RequestOutcome.SHED, FAULTS[seconds]);
  }
}
