package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import io.netty.buffer.ByteBuf;

/**
 * What an {@link Attempt} reports, on its loop. The last report is exactly one of {@code plain},
 * {@code completed} and {@code failed}, or none after {@link Attempt#cancel}.
 */
public interface AttemptListener {
  /** The request is on its way. */
  void sent();

  /** The connection took all of a request that may not be repeated, or was closed. */
  void written();

  /** The next bytes for the client; the first ones are the first usable event. Owned. */
  void content(ByteBuf events);

  /** Whether the attempt shall read on; where not, {@link Attempt#resume} is called later. */
  boolean wantsMore();

  /** The stream is complete; its usage is in {@link Attempt#stream}. */
  void completed();

  /** The whole reply of a plain request. */
  void plain(WholeReply reply);

  void failed(UpstreamFailure failure);

  /** A step of the attempt threw; nothing may follow it. */
  void failedUnexpectedly(RuntimeException unexpected);
}
