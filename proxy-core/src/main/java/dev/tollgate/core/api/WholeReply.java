package dev.tollgate.core.api;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

/** A provider's complete, non-streamed reply, read once and written in the client's form. */
public interface WholeReply {
  /** Result of reading the body of a provider's reply. */
  sealed interface Read {
    record Fine(WholeReply reply) implements Read {}

    /** An error object in a reply with status 200. */
    record ErrorObject() implements Read {}

    record Malformed(String reason) implements Read {}

    /** A refusal by the provider's content filter, without any content. */
    record Filtered(String reason) implements Read {}
  }

  /** Returns the usage that the provider reported, if plausible. */
  Optional<Usage> reportedUsage();

  /** Returns the usage besides tokens, as far as known. */
  default List<Quantity> quantities() {
    return List.of();
  }

  /** Returns the content type of the client's reply. */
  default String contentType() {
    return "application/json";
  }

  /** Returns the number of parts to store, so that the client gets a URL of each instead. */
  default int parts() {
    return 0;
  }

  /** Returns the size bound of a part in bytes. */
  default int partBytesMax(int part) {
    return 0;
  }

  /** Returns a part to store; empty if it is broken. */
  default Optional<ByteBuf> part(int part) {
    return Optional.empty();
  }

  /** Records that a part is stored, so that the client gets this URL instead. */
  default void storedAt(int part, String url) {
    throw new IllegalStateException("this reply has no parts to store");
  }

  /** Returns the gateway's own count of the output. */
  long deliveredTokens();

  /** Writes the client's body. */
  void writeTo(Usage charged, MicroUsd cost, ByteBuf out);

  /**
   * Writes the body as the last event of a stream, for a provider that replied whole to a request
   * for a stream.
   */
  default void writeEventTo(Usage charged, MicroUsd cost, ByteBuf out) {
    throw new IllegalStateException("this endpoint has no streams");
  }
}
