package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Preallocator of journal segment files, which fills them with zeros so that later writes allocate
 * nothing. Writes bypass the page cache where the file system supports it: that takes a third of
 * the CPU, and the syncs of other files do not wait behind the zeros.
 */
final class Preallocator {
  private static final int CHUNK_BYTES = 1024 * 1024;

  private Preallocator() {}

  /** Fills a file with zeros by direct I/O; true if the file system supports that. */
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
      return false; // a real error also fails the buffered way
    }
  }

  // By reflection: not every JDK has the option, and the compiler warns of direct use.
  private static OpenOption directOption() throws ReflectiveOperationException {
    Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
    return (OpenOption) options.getField("DIRECT").get(null);
  }

  static void writeBuffered(Disk.File file, int bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(bytes, CHUNK_BYTES));
    for (int at = 0; at < bytes; at += zeros.capacity()) {
      // Synced chunk by chunk, because the writer's own syncs would wait behind all of it.
      file.write(zeros.clear().limit(Math.min(zeros.capacity(), bytes - at)), at);
      file.force();
    }
  }
}
