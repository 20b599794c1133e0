package dev.tollgate.core.testkit;

import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Blob store in a map. A URL holds its expiry, and a tag in place of a signature. */
public final class InMemoryBlobs implements BlobStore {
  private static final String BASE = "https://blobs.test/";

  private final InstantSource clock;
  private final Duration ttl;
  private final Map<BlobName, byte[]> kept = new ConcurrentHashMap<>();
  private volatile @Nullable BlobFailure fault;

  public InMemoryBlobs(InstantSource clock, Duration ttl) {
    this.clock = clock;
    this.ttl = ttl;
  }

  /** Makes every later store and delete fail. */
  public void fail(BlobFailure why) {
    fault = why;
  }

  /** Returns the stored blobs. */
  public Map<BlobName, byte[]> kept() {
    return Map.copyOf(kept);
  }

  @Override
  public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
    byte[] bytes = ByteBufUtil.getBytes(blob.bytes());
    blob.bytes().release();
    BlobFailure why = fault;
    if (why != null) {
      loop.execute(
          () -> whenDone.accept(new StoreBlobResult.Unavailable(why, "failing on request")));
      return;
    }
    BlobName name = BlobName.of(blob, clock.instant());
    kept.put(name, bytes);
    loop.execute(() -> whenDone.accept(new StoreBlobResult.Kept(name)));
  }

  @Override
  public SignedUrl url(BlobName name) {
    return url(name, clock.instant().plus(ttl));
  }

  private static SignedUrl url(BlobName name, Instant until) {
    String signed = name + "?exp=" + until.getEpochSecond();
    return new SignedUrl(BASE + signed + "&sig=" + signed.hashCode(), until);
  }

  @Override
  public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
    BlobFailure why = fault;
    if (why == null) {
      kept.remove(name);
    }
    DeleteBlobResult deleted =
        why == null
            ? new DeleteBlobResult.Gone()
            : new DeleteBlobResult.Unavailable(why, "failing on request");
    loop.execute(() -> whenDone.accept(deleted));
  }

  /** Returns what a client gets that fetches a URL now; empty: nothing. */
  public Optional<byte[]> fetch(String url) {
    int query = url.indexOf("?exp=");
    int tag = url.indexOf("&sig=");
    if (!url.startsWith(BASE) || query < 0 || tag < 0) {
      return Optional.empty();
    }
    String signed = url.substring(BASE.length(), tag);
    long until = Long.parseLong(url.substring(query + 5, tag));
    boolean good = url.substring(tag + 5).equals(Integer.toString(signed.hashCode()));
    return good && clock.instant().getEpochSecond() < until
        ? BlobName.parse(url.substring(BASE.length(), query)).map(kept::get)
        : Optional.empty();
  }
}
