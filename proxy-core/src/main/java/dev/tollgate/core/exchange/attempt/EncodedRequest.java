package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.http.BodySha256;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Encoded request to a provider, ready to be sent once the hash of its body is computed. Only a
 * signature needs that hash; a large body is hashed in several tasks of the loop. Its bytes are
 * either taken or dropped. Loop-confined.
 */
final class EncodedRequest {
  private final EventLoop loop;
  private final Optional<BodySha256> signed;
  private final Supplier<List<ByteBuf>> bytes;
  private final List<String> unsent;
  private final Runnable onDrop;

  /**
   * @param signed the hash that the signature needs; empty if there is none
   * @param bytes makes head and body; called once
   * @param unsent JSON paths of what the provider does not get as the client sent it
   * @param onDrop releases the body
   */
  EncodedRequest(
      EventLoop loop,
      Optional<BodySha256> signed,
      Supplier<List<ByteBuf>> bytes,
      List<String> unsent,
      Runnable onDrop) {
    this.loop = loop;
    this.signed = signed;
    this.bytes = bytes;
    this.unsent = unsent;
    this.onDrop = onDrop;
  }

  /**
   * Hashes the next part of the body, and calls back when the hash is complete: at once if there is
   * nothing to hash.
   *
   * @param wanted returns false once the attempt ended: the request is then dropped before the next
   *     part
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

  /** Returns the JSON paths of what the provider does not get as the client sent it. */
  List<String> unsent() {
    return unsent;
  }

  List<ByteBuf> bytes() {
    return bytes.get();
  }
}
