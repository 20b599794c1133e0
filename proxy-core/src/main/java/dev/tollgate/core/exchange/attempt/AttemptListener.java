package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import io.netty.buffer.ByteBuf;

/**
 * Listener of the progress and result of an {@link Attempt}, called on its loop. The last report is
 * exactly one of {@code plain}, {@code completed} and {@code failed}, or none after {@link
 * Attempt#cancel}.
 */
interface AttemptListener {
  /** The request was handed to the connection. */
  void sent();

  /** The connection took all of a request that may not be repeated, or was closed. */
  void written();

  /**
   * The next bytes for the client; the first ones are the first usable event. The listener owns
   * them.
   */
  void content(Attempt from, ByteBuf events);

  /** True if the attempt is to read on; if false, {@link Attempt#resume} is called later. */
  boolean wantsMore();

  /** True if another attempt is running, or could start, if this one failed now. */
  boolean hasAlternative();

  /** The stream is complete; its usage is in {@link Attempt#stream}. */
  void completed(Attempt from);

  /** The whole reply of a plain request. */
  void plain(Attempt from, WholeReply reply);

  void failed(Attempt from, UpstreamFailure failure);
}
