package dev.tollgate.server.jobs;

import dev.tollgate.core.blob.Blob;
import dev.tollgate.core.blob.BlobFault;
import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.Blobs;
import dev.tollgate.core.blob.Deleted;
import dev.tollgate.core.blob.SignedUrl;
import dev.tollgate.core.blob.Stored;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** A storage in memory, which answers at once and may be told to fail. */
final class KeptBlobs implements Blobs {
  final Map<String, byte[]> kept = new LinkedHashMap<>();
  int failures;

  @Override
  public synchronized void store(Blob blob, EventLoop loop, Consumer<Stored> whenDone) {
    byte[] bytes = ByteBufUtil.getBytes(blob.bytes());
    blob.bytes().release();
    if (failures-- > 0) {
      whenDone.accept(new Stored.Unavailable(BlobFault.FULL, "as told"));
      return;
    }
    BlobName name = BlobName.of(blob, Instant.EPOCH);
    kept.put(name.toString(), bytes);
    whenDone.accept(new Stored.Kept(name));
  }

  @Override
  public SignedUrl url(BlobName name) {
    return new SignedUrl("https://storage.test/" + name, Instant.EPOCH);
  }

  @Override
  public synchronized void delete(BlobName name, EventLoop loop, Consumer<Deleted> whenDone) {
    if (failures-- > 0) {
      whenDone.accept(new Deleted.Unavailable(BlobFault.FAILED, "as told"));
      return;
    }
    kept.remove(name.toString());
    whenDone.accept(new Deleted.Gone());
  }
}
