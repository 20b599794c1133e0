package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;

/**
 * Translator of one provider's event stream into the client's, event by event. It keeps the state
 * of the stream: content seen, finish, last usage, delivered content. It is not thread-safe: one
 * attempt uses it on one event loop.
 *
 * <p>Nothing is written before the first content, because a provider that fails before that can
 * still be replaced by another (docs/decisions/streaming.md#commit).
 */
public non-sealed interface ReplyEventStream extends StreamingReply {
  /** Outcome of reading one event of the provider's stream. */
  enum Step {
    /** The event cannot have content: it is dropped and counted, and the stream continues. */
    DROPPED,
    /** The event has nothing for the client, or is kept until content comes. */
    ABSORBED,
    /** The client's form of the event was written. */
    WROTE,
    /** The event is the terminator. */
    DONE,
    /** The event's bytes contain an error object. */
    ERROR,
    /** The finish reason is a failure of the provider. */
    FAILED,
    /** The event is not a chunk, and content may be lost with it: it breaks the stream. */
    BROKEN,
    /** The answer differs from the beginning that the client already has. */
    DIVERGED
  }

  /** Reads one event's data and writes the client's part of it to {@code out}. */
  Step event(byte[] data, int from, int to, ByteBuf out);

  /** Reads an event named {@code error}, which is an error unless its data is a chunk. */
  Step errorEvent(byte[] data, int from, int to, ByteBuf out);

  /** Writes the finish that a provider omitted before {@code [DONE]}. */
  void writeMissingFinish(ByteBuf out);

  /**
   * Writes the final chunk with the usage: the provider's own object, or the gateway's estimate.
   */
  void writeUsage(Usage charged, MicroUsd cost, ByteBuf out);

  /** Writes the usage of a broken stream and returns the error event of its client. */
  default BrokenStream broken(Fault fault, Usage charged, MicroUsd cost, ByteBuf out) {
    writeUsage(charged, cost, out);
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }

  /** Returns the size of the output that is kept until it is complete, in bytes. */
  default int keptBytes() {
    return 0;
  }
}
