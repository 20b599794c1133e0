package dev.tollgate.server.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The room of all spools of a node: so many bytes together, and never the last ones of a disk on
 * which the journal may lie, too. What finds no room is fetched again later. Any thread.
 */
public final class SpoolQuota {
  /** Taken at a time, so that the disk is not asked for every piece. */
  static final long STEP_BYTES = 4L * 1024 * 1024;

  private final Path folder;
  private final long bytesMax;
  private final long leftBytesMin;
  private final AtomicLong reservedBytes = new AtomicLong();

  /**
   * @param folder that is there
   * @param bytesMax of all files together
   * @param leftBytesMin of the disk, which they leave to others
   */
  public SpoolQuota(Path folder, long bytesMax, long leftBytesMin) {
    this.folder = folder;
    this.bytesMax = bytesMax;
    this.leftBytesMin = leftBytesMin;
  }

  Path folder() {
    return folder;
  }

  /** Bytes that are set aside now. */
  public long reservedBytes() {
    return reservedBytes.get();
  }

  /** Sets bytes aside, which {@link #release} frees; false: there is no room for them. */
  boolean reserve(long bytes) throws IOException {
    if (reservedBytes.addAndGet(bytes) > bytesMax
        || Files.getFileStore(folder).getUsableSpace() - bytes < leftBytesMin) {
      release(bytes);
      return false;
    }
    return true;
  }

  void release(long bytes) {
    reservedBytes.addAndGet(-bytes);
  }
}
