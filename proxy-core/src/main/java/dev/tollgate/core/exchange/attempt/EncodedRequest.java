package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.http.BodySha256;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A request that is ready to be sent, but for its body's hash where that is signed: a large one is
 * hashed in turns of its loop. Either its bytes are taken or it is let go of. Loop-confined.
 */
final class EncodedRequest {
  private final EventLoop loop;
  private final Optional<BodySha256> signed;
  private final Supplier<List<ByteBuf>> bytes;
  private final Runnable onDrop;

  /**
   * @param signed empty: nothing signs it
   * @param bytes head and body, asked for once
   * @param onDrop lets go of the body
   */
  EncodedRequest(
      EventLoop loop, Optional<BodySha256> signed, Supplier<List<ByteBuf>> bytes, Runnable onDrop) {
    this.loop = loop;
    this.signed = signed;
    this.bytes = bytes;
    this.onDrop = onDrop;
  }

  /**
   * Takes the next turn at the hash; says it at once where none is needed any more.
   *
   * @param wanted whether somebody still waits for it: else it is dropped at its next turn
   */
  void whenReady(BooleanSupplier wanted, Runnable then) {
    if (!wanted.getAsBoolean()) {
      onDrop.run();
      return;
    }
    signed.ifPresent(BodySha256::step);
    if (signed.isEmpty() || signed.get().isDone()) {
      then.run();
    } else {
      loop.execute(() -> whenReady(wanted, then));
    }
  }

  List<ByteBuf> bytes() {
    return bytes.get();
  }
}
