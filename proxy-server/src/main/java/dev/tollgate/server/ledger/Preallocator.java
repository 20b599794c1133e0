package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Fills files with zeros, so that writing to them later allocates nothing. Around the page cache
 * where the file system can: that takes a third of the CPU, and other files' syncs have nothing to
 * wait behind.
 */
final class Preallocator {
  private static final int CHUNK_BYTES = 1024 * 1024;

  private Preallocator() {}

  /** Whether it could be done. */
  static boolean writeDirect(Path file, int bytes) {
    try {
      int block = Math.toIntExact(Files.getFileStore(file).getBlockSize());
      if (bytes % block != 0 || CHUNK_BYTES % block != 0) {
        return false;
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, directOption())) {
        ByteBuffer zeros = ByteBuffer.allocateDirect(CHUNK_BYTES + block).alignedSlice(block);
        for (int at = 0; at < bytes; ) {
          at += channel.write(zeros.clear().limit(Math.min(CHUNK_BYTES, bytes - at)), at);
        }
        return true;
      }
    } catch (IOException | ReflectiveOperationException | RuntimeException e) {
      return false; // what is wrong besides shows when it is done the other way
    }
  }

  // Not every JDK has it, and the compiler warns of whoever names it.
  private static OpenOption directOption() throws ReflectiveOperationException {
    Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
    return (OpenOption) options.getField("DIRECT").get(null);
  }

  static void writeBuffered(Disk.File file, int bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(bytes, CHUNK_BYTES));
    for (int at = 0; at < bytes; at += zeros.capacity()) {
      // Forced piece by piece: the writer's own syncs would wait behind all of it.
      file.write(zeros.clear().limit(Math.min(zeros.capacity(), bytes - at)), at);
      file.force();
    }
  }
}
