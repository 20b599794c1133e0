package dev.tollgate.server.jobs;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Temporary file through which an output file is copied from a provider to the gateway's storage.
 * It has no name, so that a crash leaves nothing behind. One thread at a time uses it; any thread
 * may release its content.
 */
public final class Spool implements AutoCloseable {
  private final FileChannel file;
  private final SpoolQuota quota;
  private final long bytesMax;
  private final AtomicInteger owners = new AtomicInteger(1);
  private long bytes;
  private long reservedBytes;

  /** Result of appending bytes to the spool. */
  enum AppendResult {
    ACCEPTED,
    /** The file would exceed its bound; nothing was appended. */
    TOO_LARGE,
    /** The quota or the disk has no room now. */
    NO_ROOM
  }

  private Spool(FileChannel file, SpoolQuota quota, long bytesMax) {
    this.file = file;
    this.quota = quota;
    this.bytesMax = bytesMax;
  }

  /** Opens an empty spool. */
  static Spool open(SpoolQuota quota, long bytesMax) throws IOException {
    Path name = Files.createTempFile(quota.folder(), "spool", "");
    FileChannel file = FileChannel.open(name, StandardOpenOption.READ, StandardOpenOption.WRITE);
    Files.delete(name);
    return new Spool(file, quota, bytesMax);
  }

  /** Appends bytes of the file. */
  AppendResult add(List<ByteBuffer> parts) throws IOException {
    for (ByteBuffer part : parts) {
      if (part.remaining() > bytesMax - bytes) {
        return AppendResult.TOO_LARGE;
      }
      if (!ensureReserved(part.remaining())) {
        return AppendResult.NO_ROOM;
      }
      while (part.hasRemaining()) {
        bytes += file.write(part);
      }
    }
    return AppendResult.ACCEPTED;
  }

  private boolean ensureReserved(int more) throws IOException {
    long missing = bytes + more - reservedBytes;
    if (missing <= 0) {
      return true;
    }
    long step = Math.max(missing, Math.min(SpoolQuota.STEP_BYTES, bytesMax - reservedBytes));
    if (!quota.reserve(step)) {
      return false;
    }
    reservedBytes += step;
    return true;
  }

  /** Empties the spool for another attempt. */
  void clear() throws IOException {
    file.truncate(0);
    bytes = 0;
  }

  long bytes() {
    return bytes;
  }

  /**
   * Returns all bytes, which stay readable after the spool is closed; the caller owns a reference.
   * The last release deletes the file at once instead of at a garbage collection.
   */
  ByteBuf content() throws IOException {
    if (bytes == 0) {
      return Unpooled.EMPTY_BUFFER;
    }
    Arena arena = Arena.ofShared();
    try {
      ByteBuffer mapped = file.map(MapMode.READ_ONLY, 0, bytes, arena).asByteBuffer();
      var content = new Content(Unpooled.wrappedBuffer(mapped), arena);
      owners.incrementAndGet();
      return content;
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** Buffer of the memory-mapped file, which keeps the file open until its last release. */
  private final class Content extends CompositeByteBuf {
    private final Arena arena;

    Content(ByteBuf mapped, Arena arena) {
      super(mapped.alloc(), true, 1);
      this.arena = arena;
      addComponent(true, mapped);
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      arena.close();
      releaseOwner();
    }
  }

  private void releaseOwner() {
    if (owners.decrementAndGet() == 0) {
      quota.release(reservedBytes);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      file.close();
    } finally {
      releaseOwner();
    }
  }
}
