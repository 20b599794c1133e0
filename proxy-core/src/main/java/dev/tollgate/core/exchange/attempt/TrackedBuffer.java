package dev.tollgate.core.exchange.attempt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

/** The last part of a request, which tells when it was written or let go of. */
final class TrackedBuffer extends CompositeByteBuf {
  private final Runnable onRelease;

  private TrackedBuffer(ByteBuf part, Runnable onRelease) {
    super(part.alloc(), part.isDirect(), 1);
    this.onRelease = onRelease;
  }

  /** Takes over the part, also where it fails. */
  static ByteBuf of(ByteBuf part, Runnable onRelease) {
    return new TrackedBuffer(part, onRelease).addComponent(true, part);
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    onRelease.run();
  }
}
