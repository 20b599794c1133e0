package dev.tollgate.core.exchange.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;

/** Body buffer that counts against the in-flight byte budget until it was written or released. */
public final class CountedBody extends CompositeByteBuf {
  private final InflightBytes.Permit permit;

  private CountedBody(ByteBuf body, InflightBytes.Permit permit) {
    super(body.alloc(), body.isDirect(), 1);
    this.permit = permit;
  }

  /** Takes ownership of both, also if it throws. */
  public static ByteBuf of(ByteBuf body, InflightBytes.Permit permit) {
    try {
      return new CountedBody(body, permit).addComponent(true, body);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      permit.end(); // the body was released already
      throw unexpected;
    }
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    permit.end();
  }
}
