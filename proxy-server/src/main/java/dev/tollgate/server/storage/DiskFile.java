package dev.tollgate.server.storage;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.exchange.frame.Offload.Outcome;
import dev.tollgate.core.storage.BlobFile;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blob file of the directory while a client downloads it. Offloaded threads read it instead of
 * sendfile, which would block the loop on every page that is not in memory, and does not work with
 * TLS.
 */
final class DiskFile implements BlobFile {
  private static final Logger LOG = LoggerFactory.getLogger(DiskFile.class);

  private final FileChannel channel;
  private final long length;
  private final Offload offload;
  private final EventLoop loop;
  private final Duration timeout;
  private int pendingReads;
  private boolean closed;

  private DiskFile(
      FileChannel channel, long length, Offload offload, EventLoop loop, Duration timeout) {
    this.channel = channel;
    this.length = length;
    this.offload = offload;
    this.loop = loop;
    this.timeout = timeout;
  }

  /** Opens a file, not on a loop: reading the length is a disk operation too. */
  static DiskFile open(Path path, Offload offload, EventLoop loop, Duration timeout)
      throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      return new DiskFile(channel, channel.size(), offload, loop, timeout);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void read(long position, ByteBuf into, Consumer<Read> whenDone) {
    var completion = new TimedCompletion<Read>(loop, timeout, whenDone);
    completion.onTimeout(() -> new Read.Failed("disk timeout"));
    pendingReads++;
    ByteBuf filled = into.retain(); // a read that hangs keeps using the buffer and the file
    offload.run(
        loop,
        loop.ticker().nanoTime() + timeout.toNanos(),
        () -> fill(position, filled),
        outcome -> {
          filled.release();
          pendingReads--;
          closeIfIdle();
          completion.complete(
              switch (outcome) {
                case Outcome.Done<Integer> _ -> new Read.Done();
                case Outcome.Refused<Integer> refused -> new Read.Failed(refused.reason());
                case Outcome.Failed<Integer> failed -> new Read.Failed(failed.cause().toString());
              });
        });
  }

  private int fill(long position, ByteBuf into) throws IOException {
    int read = 0;
    while (into.isWritable()) {
      int count = into.writeBytes(channel, position + read, into.writableBytes());
      if (count < 0) {
        return read;
      }
      read += count;
    }
    return read;
  }

  /**
   * Closing a file that was only read does not block, as nothing is written back; during a read it
   * would, so the close waits for the read's end.
   */
  @Override
  public void close() {
    assert loop.inEventLoop();
    closed = true;
    closeIfIdle();
  }

  private void closeIfIdle() {
    if (!closed || pendingReads > 0) {
      return;
    }
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("a stored output could not be closed: {}", e.toString());
    }
  }
}
