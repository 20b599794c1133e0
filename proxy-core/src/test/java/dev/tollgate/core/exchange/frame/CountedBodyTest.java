package dev.tollgate.core.exchange.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import org.junit.jupiter.api.Test;

/** What a body holds of the budget is given back once, however it ends. */
class CountedBodyTest {
  private final InflightBytes inflight = new InflightBytes(1_000);

  @Test
  void itCountsUntilItIsReleased() {
    ByteBuf body = CountedBody.of(Unpooled.buffer().writeZero(7), permit());
    assertThat(body.readableBytes()).isEqualTo(7);
    assertThat(inflight.held()).isEqualTo(100);
    body.release();
    assertThat(inflight.held()).isZero();
  }

  @Test
  void oneThatCannotBeMadeHoldsNothing() {
    ByteBuf broken =
        new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 8, 8) {
          @Override
          public int readableBytes() {
            throw new OutOfMemoryError("of this test");
          }
        };
    assertThatThrownBy(() -> CountedBody.of(broken, permit())).isInstanceOf(OutOfMemoryError.class);
    assertThat(broken.refCnt()).isZero();
    assertThat(inflight.held()).isZero();
  }

  private InflightBytes.Permit permit() {
    return inflight.tryAcquire(100).orElseThrow();
  }
}
