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
 * Writer of a translated chat stream in the form that the client's API has: chat chunks, or
 * Responses API events. It writes the current state of the stream's root and choice.
 */
public interface ChunkWriter {
  /** Creates the writer of one form. */
  interface Factory {
    ChunkWriter.Factory CHAT = ChatChunkWriter::new;

    /**
     * Opens a writer.
     *
     * @param resumePoint content that the client already has; null means none
     */
    ChunkWriter open(
        ReplyStamp stamp, JsonMembers root, ChoiceReader choice, @Nullable ResumePoint resumePoint);
  }

  /** Reads the stream's identity from the provider's chunk. */
  void takeIdentity();

  /** Returns the state from which another writer can continue. */
  ResumePoint resumePoint();

  /** Holds a chunk without content until content comes. */
  void hold(int choices, ByteBuf out);

  /** Writes the held chunks and the provider's chunk. */
  void write(int choices, ByteBuf out);

  /** True if the output of equal chunks in a row is equal. */
  default boolean isRepeatable() {
    return false;
  }

  /** Writes text of the gateway. */
  void writeContent(String text, ByteBuf out);

  /** Writes the finish that a provider omitted. */
  void writeFinish(ByteBuf out);

  /**
   * Writes the end with the usage.
   *
   * @param reported the usage object for the charge; null for an estimate
   */
  void writeUsage(Usage charged, MicroUsd cost, byte @Nullable [] reported, ByteBuf out);

  /** Writes the usage of a broken stream, or adds it to the fault. */
  default BrokenStream broken(
      Fault fault, Usage charged, MicroUsd cost, byte @Nullable [] reported, ByteBuf out) {
    writeUsage(charged, cost, reported, out);
    return new BrokenStream(fault, new ErrorForm.Envelope());
  }

  /** Returns the size of the kept output in bytes. */
  default int keptBytes() {
    return 0;
  }

  /** Releases the held chunks. */
  void release();
}
