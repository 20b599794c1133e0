package dev.tollgate.server.jobs;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Where a file lies on its way from a provider to our storage: on the disk, however large it is,
 * and without a name, so that a crash leaves nothing behind. One thread at a time.
 */
public final class Spool implements AutoCloseable {
  private final FileChannel file;
  private final long bytesMax;
  private long bytes;

  private Spool(FileChannel file, long bytesMax) {
    this.file = file;
    this.bytesMax = bytesMax;
  }

  /** Opens an empty one in a folder that is there. */
  static Spool open(Path folder, long bytesMax) throws IOException {
    Path name = Files.createTempFile(folder, "spool", "");
    FileChannel file = FileChannel.open(name, StandardOpenOption.READ, StandardOpenOption.WRITE);
    Files.delete(name);
    return new Spool(file, bytesMax);
  }

  /** Takes more of the file; false: it becomes too large, and nothing of this was taken. */
  boolean add(List<ByteBuffer> parts) throws IOException {
    for (ByteBuffer part : parts) {
      if (part.remaining() > bytesMax - bytes) {
        return false;
      }
      while (part.hasRemaining()) {
        bytes += file.write(part);
      }
    }
    return true;
  }

  /** Empties it, to begin again. */
  void clear() throws IOException {
    file.truncate(0);
    bytes = 0;
  }

  long bytes() {
    return bytes;
  }

  /** All bytes, which stay readable when the spool is closed; the caller owns the count. */
  ByteBuf content() throws IOException {
    return bytes == 0
        ? Unpooled.EMPTY_BUFFER
        : Unpooled.wrappedBuffer(file.map(MapMode.READ_ONLY, 0, bytes));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
