package dev.tollgate.core.exchange.attempt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

/** Buffer that calls back once it was written or released; used as the last one of a request. */
final class TrackedBuffer extends CompositeByteBuf {
  private final Runnable onRelease;

  private TrackedBuffer(ByteBuf part, Runnable onRelease) {
    super(part.alloc(), part.isDirect(), 1);
    this.onRelease = onRelease;
  }

  /** Takes ownership of the buffer, also if it throws. */
  static ByteBuf of(ByteBuf part, Runnable onRelease) {
    return new TrackedBuffer(part, onRelease).addComponent(true, part);
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    onRelease.run();
  }
}
