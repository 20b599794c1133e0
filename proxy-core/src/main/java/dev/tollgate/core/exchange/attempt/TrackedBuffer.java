package dev.tollgate.core.exchange.attempt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

/** Last buffer of a request, with a callback when it was written or released. */
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
