package dev.tollgate.core.api;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

/** One provider's whole reply, read once and written as the client's. */
public interface WholeReply {
  /** What a body was. */
  sealed interface Read {
    record Fine(WholeReply reply) implements Read {}

    /** An error inside a 200. */
    record ErrorObject() implements Read {}

    record Malformed(String reason) implements Read {}

    /** A refusal of what was asked for, in place of anything. */
    record Filtered(String reason) implements Read {}
  }

  /** The usage that the provider reported, if it was sound. */
  Optional<Usage> reportedUsage();

  /** What was used besides tokens, as far as it is known. */
  default List<Quantity> quantities() {
    return List.of();
  }

  /** The content type under which the client gets it. */
  default String contentType() {
    return "application/json";
  }

  /** How many parts of it are to be stored, so that the client gets an address of each instead. */
  default int parts() {
    return 0;
  }

  /** How many bytes a part has at most. */
  default int partBytesMax(int part) {
    return 0;
  }

  /** A part that is to be stored; empty where it turns out to be broken. */
  default Optional<ByteBuf> part(int part) {
    return Optional.empty();
  }

  /** A part is stored, and the client gets this address instead. */
  default void storedAt(int part, String url) {
    throw new IllegalStateException("nothing of it is stored");
  }

  /** Our own count of the output. */
  long deliveredTokens();

  /** Writes the client's body. */
  void writeTo(Usage charged, MicroUsd cost, ByteBuf out);

  /** Writes it as the last event of a stream, where its provider was to stream and did not. */
  default void writeEventTo(Usage charged, MicroUsd cost, ByteBuf out) {
    throw new IllegalStateException("no stream of it was asked for");
  }
}
