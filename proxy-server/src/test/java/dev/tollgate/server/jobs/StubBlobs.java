package dev.tollgate.server.jobs;

import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Storage in memory, which answers at once and fails on request. */
final class StubBlobs implements BlobStore {
  final Map<String, byte[]> kept = new LinkedHashMap<>();
  int failures;

  @Override
  public synchronized void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
    byte[] bytes = ByteBufUtil.getBytes(blob.bytes());
    blob.bytes().release();
    if (failures-- > 0) {
      whenDone.accept(new StoreBlobResult.Unavailable(BlobFailure.FULL, "on request"));
      return;
    }
    BlobName name = BlobName.of(blob, Instant.EPOCH);
    kept.put(name.toString(), bytes);
    whenDone.accept(new StoreBlobResult.Kept(name));
  }

  @Override
  public SignedUrl url(BlobName name) {
    return new SignedUrl("https://storage.test/" + name, Instant.EPOCH);
  }

  @Override
  public synchronized void delete(
      BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
    if (failures-- > 0) {
      whenDone.accept(new DeleteBlobResult.Unavailable(BlobFailure.FAILED, "on request"));
      return;
    }
    kept.remove(name.toString());
    whenDone.accept(new DeleteBlobResult.Gone());
  }
}
