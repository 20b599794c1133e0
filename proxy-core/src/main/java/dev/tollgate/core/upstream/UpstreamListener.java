package dev.tollgate.core.upstream;

import dev.tollgate.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;

/**
 * Listener of the provider's response on a leased connection, called on the loop of the {@link
 * Lease} in the order of the wire. Nothing follows {@link #bodyEnd()} or {@link #connectionFailed},
 * nor {@link Lease#end()}.
 */
public interface UpstreamListener {
  void head(ResponseHead head);

  /** The next bytes of the body; the listener releases them. */
  void body(ByteBuf bytes);

  /** One requested read is complete; the listener requests the next one. */
  void readComplete();

  void bodyEnd();

  void connectionFailed(ConnectionFailure failure);
}
