package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.api.ErrorForm;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.ResumePoint;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What a chat stream is written as: chunks, or the events of another API. It writes what the
 * stream's root and choice hold at the time of a call.
 */
public interface ChunkWriter {
  /** One way to write a stream. */
  interface Factory {
    ChunkWriter.Factory CHAT = ChatChunkWriter::new;

    /**
     * Begins to write one.
     *
     * @param resumePoint what the client has of the stream already; null: nothing
     */
    ChunkWriter open(
        ReplyStamp stamp, JsonMembers root, ChoiceReader choice, @Nullable ResumePoint resumePoint);
  }

  /** Takes what the provider's chunk says of the stream's identity. */
  void takeIdentity();

  /** What was begun with that which was written last. */
  ResumePoint resumePoint();

  /** Keeps a chunk without content until content comes. */
  void hold(int choices, ByteBuf out);

  /** Writes the provider's chunk, and before it what was held. */
  void write(int choices, ByteBuf out);

  /** Whether chunks of the same bytes, one behind the other, are written the same. */
  default boolean isRepeatable() {
    return false;
  }

  /** Writes text of our own. */
  void writeContent(String text, ByteBuf out);

  /** Writes the finish that a provider left out. */
  void writeFinish(ByteBuf out);

  /**
   * Writes the end with the usage.
   *
   * @param reported the usage object that says what is charged; null where we count
   */
  void writeUsage(Usage charged, MicroUsd cost, byte @Nullable [] reported, ByteBuf out);

  /** Writes the usage of a stream that breaks off, or gives it to the fault. */
  default BrokenStream broken(
      Fault fault, Usage charged, MicroUsd cost, byte @Nullable [] reported, ByteBuf out) {
    writeUsage(charged, cost, reported, out);
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }

  /** How much is kept of what was written. */
  default int keptBytes() {
    return 0;
  }

  /** Lets go of what was held. */
  void release();
}
