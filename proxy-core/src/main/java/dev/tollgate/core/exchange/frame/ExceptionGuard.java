package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.upstream.ConnectionFailure;
import dev.tollgate.core.upstream.UpstreamListener;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Keeps a fault of ours from going unnoticed: what a step throws ends the request instead of
 * leaving its client without an answer.
 */
public record ExceptionGuard(UpstreamListener inner, Consumer<RuntimeException> onUnexpected)
    implements UpstreamListener {

  @Override
  public void head(ResponseHead head) {
    run(() -> inner.head(head), onUnexpected);
  }

  @Override
  public void body(ByteBuf bytes) {
    run(() -> inner.body(bytes), onUnexpected);
  }

  @Override
  public void readComplete() {
    run(inner::readComplete, onUnexpected);
  }

  @Override
  public void bodyEnd() {
    run(inner::bodyEnd, onUnexpected);
  }

  @Override
  public void connectionFailed(ConnectionFailure failure) {
    run(() -> inner.connectionFailed(failure), onUnexpected);
  }

  /** The same for a step that a timer takes. */
  public static void run(Runnable step, Consumer<RuntimeException> onUnexpected) {
    try {
      step.run();
    } catch (RuntimeException unexpected) {
      onUnexpected.accept(unexpected);
    } catch (
        OutOfMemoryError outOfMemory) { // of direct memory: that ends what asked for it, no more
      onUnexpected.accept(new IllegalStateException("no room for a buffer", outOfMemory));
    }
  }
}
