package dev.tollgate.core.exchange;

import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.upstream.Breakage;
import dev.tollgate.core.upstream.UpstreamListener;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Keeps a fault of ours from going unnoticed: what a step throws ends the request instead of
 * leaving its client without an answer.
 */
record Guarded(UpstreamListener inner, Consumer<RuntimeException> surprised)
    implements UpstreamListener {

  @Override
  public void head(ResponseHead head) {
    run(() -> inner.head(head), surprised);
  }

  @Override
  public void body(ByteBuf bytes) {
    run(() -> inner.body(bytes), surprised);
  }

  @Override
  public void readComplete() {
    run(inner::readComplete, surprised);
  }

  @Override
  public void bodyEnd() {
    run(inner::bodyEnd, surprised);
  }

  @Override
  public void broken(Breakage breakage) {
    run(() -> inner.broken(breakage), surprised);
  }

  /** The same for a step that a timer takes. */
  static void run(Runnable step, Consumer<RuntimeException> surprised) {
    try {
      step.run();
    } catch (RuntimeException surprise) {
      surprised.accept(surprise);
    } catch (OutOfMemoryError noRoom) { // of direct memory: that ends what asked for it, no more
      surprised.accept(new IllegalStateException("no room for a buffer", noRoom));
    }
  }
}
