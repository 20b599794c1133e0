package dev.tollgate.core.storage;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Open file of a stored blob, read piece by piece on the event loop that opened it. It is closed
 * exactly once, while no read is in progress.
 */
public interface BlobFile {
  long length();

  /**
   * Reads the bytes at {@code position} until {@code into} is full or the end is reached.
   *
   * @param whenDone called on the loop, after this method has returned
   */
  void read(long position, ByteBuf into, Consumer<Read> whenDone);

  void close();

  /** Result of reading a piece of a blob. */
  sealed interface Read {
    /** The buffer is full, or the end of the blob is reached. */
    record Done() implements Read {}

    /** The disk failed or is overloaded. */
    record Failed(String reason) implements Read {}
  }
}
