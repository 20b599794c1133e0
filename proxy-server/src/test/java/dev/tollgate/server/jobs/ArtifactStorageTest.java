package dev.tollgate.server.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Storage that answers after the timeout. */
class ArtifactStorageTest {
  private static final Blob BLOB =
      new Blob(new OrgId(new UUID(0, 1)), BlobType.MP4, Duration.ofDays(7), Unpooled.EMPTY_BUFFER);
  private static final BlobName NAME = BlobName.of(BLOB, Instant.EPOCH);

  private final EventLoop loop = new EmbeddedChannel().eventLoop();
  private final Late blobs = new Late();

  private static final class Late implements BlobStore {
    final List<Consumer<StoreBlobResult>> waiting = new ArrayList<>();
    final List<BlobName> deleted = new ArrayList<>();

    @Override
    public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
      waiting.add(whenDone);
    }

    @Override
    public SignedUrl url(BlobName name) {
      return new SignedUrl("", Instant.EPOCH);
    }

    @Override
    public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
      deleted.add(name);
      whenDone.accept(new DeleteBlobResult.Gone());
    }
  }

  @Test
  void whatIsStoredTooLateIsDeleted() throws Exception {
    var storage = new ArtifactStorage(blobs, () -> loop, Duration.ofMillis(1));
    assertThat(storage.store(BLOB))
        .isEqualTo(
            new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, "the storage did not answer"));
    assertThat(blobs.deleted).isEmpty();
    blobs.waiting.getFirst().accept(new StoreBlobResult.Kept(NAME));
    assertThat(blobs.deleted).containsExactly(NAME);
  }

  @Test
  void whatIsStoredForANodeThatStopsIsDeleted() {
    var storage = new ArtifactStorage(blobs, () -> loop, Duration.ofDays(1));
    Thread.currentThread().interrupt();
    boolean isInterrupted = false;
    try {
      storage.store(BLOB);
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    assertThat(isInterrupted).isTrue();
    blobs.waiting.getFirst().accept(new StoreBlobResult.Kept(NAME));
    assertThat(blobs.deleted).containsExactly(NAME);
  }
}
