package dev.tollgate.core.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

/** The last part of a request, which tells when it was written or let go of. */
final class LastPart extends CompositeByteBuf {
  private final Runnable whenGone;

  private LastPart(ByteBuf part, Runnable whenGone) {
    super(part.alloc(), part.isDirect(), 1);
    this.whenGone = whenGone;
  }

  /** Takes over the part, also where it fails. */
  static ByteBuf of(ByteBuf part, Runnable whenGone) {
    return new LastPart(part, whenGone).addComponent(true, part);
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    whenGone.run();
  }
}
