package dev.tollgate.core.pipeline;

import dev.tollgate.core.storage.BlobFile;
import dev.tollgate.core.storage.BlobFiles;
import dev.tollgate.core.storage.BlobName;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Files in memory that count their uses, and fail if a test requires it. */
final class ScriptedFiles implements BlobFiles {
  final Map<BlobName, byte[]> kept = new ConcurrentHashMap<>();
  final AtomicInteger reads = new AtomicInteger();
  final AtomicInteger open = new AtomicInteger();
  volatile long unreadableFrom = Long.MAX_VALUE;

  @Override
  public void open(BlobName name, EventLoop loop, Consumer<Opened> whenDone) {
    byte[] bytes = kept.get(name);
    if (bytes == null) {
      loop.execute(() -> whenDone.accept(new Opened.Absent()));
    } else {
      open.incrementAndGet();
      loop.execute(() -> whenDone.accept(new Opened.Found(new InMemory(bytes, loop))));
    }
  }

  private final class InMemory implements BlobFile {
    private final byte[] bytes;
    private final EventLoop loop;

    InMemory(byte[] bytes, EventLoop loop) {
      this.bytes = bytes;
      this.loop = loop;
    }

    @Override
    public long length() {
      return bytes.length;
    }

    @Override
    public void read(long position, ByteBuf into, Consumer<Read> whenDone) {
      reads.incrementAndGet();
      if (position >= unreadableFrom) {
        loop.execute(() -> whenDone.accept(new Read.Failed("told to fail")));
        return;
      }
      into.writeBytes(bytes, (int) position, into.writableBytes());
      loop.execute(() -> whenDone.accept(new Read.Done()));
    }

    @Override
    public void close() {
      open.decrementAndGet();
    }
  }
}
