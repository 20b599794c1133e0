package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The in-memory store fulfils the contract of the real ones. */
class InMemoryBlobsTest extends BlobsContract {
  private final EventLoop loop = new DefaultEventLoop();
  private Instant now = Instant.parse("2026-11-22T10:00:00Z");
  private final InMemoryBlobs blobs = new InMemoryBlobs(() -> now, Duration.ofHours(1));

  @AfterEach
  void end() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Override
  protected BlobStore blobs() {
    return blobs;
  }

  @Override
  protected EventLoop loop() {
    return loop;
  }

  @Override
  protected Optional<Fetched> fetch(String url) {
    return blobs
        .fetch(url)
        .map(Unpooled::wrappedBuffer)
        .map(bytes -> new Fetched(nameIn(url).orElseThrow().type().mediaType(), bytes));
  }

  private static Optional<BlobName> nameIn(String url) {
    return BlobName.parse(url.substring("https://blobs.test/".length(), url.indexOf('?')));
  }

  @Override
  protected SignedUrl urlOf(BlobName name, Duration ago) {
    Instant then = now;
    now = then.minus(ago);
    SignedUrl url = blobs.url(name);
    now = then;
    return url;
  }

  @Test
  void itFailsOnRequest() {
    BlobName name = keep(BlobType.PNG, new byte[] {1});
    blobs.fail(BlobFailure.FULL);
    var bytes = Unpooled.buffer().writeByte(1);
    assertThat(store(new Blob(ORG, BlobType.PNG, Duration.ofDays(1), bytes)))
        .isEqualTo(new StoreBlobResult.Unavailable(BlobFailure.FULL, "failing on request"));
    assertThat(bytes.refCnt()).isZero();
    assertThat(delete(name)).isInstanceOf(DeleteBlobResult.Unavailable.class);
    assertThat(blobs.kept()).containsOnlyKeys(name);
  }
}
