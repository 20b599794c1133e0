package dev.tollgate.core.upstream;

import dev.tollgate.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;

/**
 * What the holder of a {@link Lease} hears, on the lease's loop and in the order of the wire. After
 * {@link #bodyEnd()} or {@link #connectionFailed} nothing follows; after {@link Lease#end()}
 * neither.
 */
public interface UpstreamListener {
  void head(ResponseHead head);

  /** The next bytes of the body; the listener releases them. */
  void body(ByteBuf bytes);

  /** One read from the socket is used up; the listener asks for the next when it wants it. */
  void readComplete();

  void bodyEnd();

  void connectionFailed(ConnectionFailure failure);
}
