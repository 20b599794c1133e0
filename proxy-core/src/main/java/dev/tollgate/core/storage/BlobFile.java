package dev.tollgate.core.storage;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * An open blob, read piece by piece on the loop that opened it and closed exactly once, while no
 * read is underway.
 */
public interface BlobFile {
  long length();

  /**
   * Reads the bytes at {@code position} until {@code into} is full or nothing is left.
   *
   * @param whenDone told on the loop, later
   */
  void read(long position, ByteBuf into, Consumer<Read> whenDone);

  void close();

  /** What came of a read. */
  sealed interface Read {
    /** The buffer has as much as there was room for. */
    record Done() implements Read {}

    /** The disk failed, or has too much to do. */
    record Failed(String reason) implements Read {}
  }
}
