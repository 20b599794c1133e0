package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.upstream.ConnectionFailure;
import dev.tollgate.core.upstream.UpstreamListener;
import io.netty.buffer.ByteBuf;

/** Upstream listener that delegates to another one and ends the request if that one throws. */
record GuardedUpstreamListener(UpstreamListener inner, RequestLoop loop)
    implements UpstreamListener {
  @Override
  public void head(ResponseHead head) {
    loop.run(() -> inner.head(head));
  }

  @Override
  public void body(ByteBuf bytes) {
    loop.run(() -> inner.body(bytes));
  }

  @Override
  public void readComplete() {
    loop.run(inner::readComplete);
  }

  @Override
  public void bodyEnd() {
    loop.run(inner::bodyEnd);
  }

  @Override
  public void connectionFailed(ConnectionFailure failure) {
    loop.run(() -> inner.connectionFailed(failure));
  }
}
