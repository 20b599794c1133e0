package dev.tollgate.server.jobs;

import dev.tollgate.core.blob.Blob;
import dev.tollgate.core.blob.BlobFault;
import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.Blobs;
import dev.tollgate.core.blob.Deleted;
import dev.tollgate.core.blob.Stored;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Our storage for workers, who wait for its answers. */
public final class ArtifactStorage {
  private final Blobs blobs;
  private final Supplier<EventLoop> loops;
  private final Duration timeout;

  /**
   * Puts {@code blobs} behind blocking calls.
   *
   * @param loops names the event loop of each call
   * @param timeout after which nobody waits any more; longer than the storage's own
   */
  public ArtifactStorage(Blobs blobs, Supplier<EventLoop> loops, Duration timeout) {
    this.blobs = blobs;
    this.loops = loops;
    this.timeout = timeout;
  }

  /** Keeps a blob, whose bytes are owned from here on. */
  Stored store(Blob blob) throws InterruptedException {
    var answer = new CompletableFuture<Stored>();
    blobs.store(blob, loops.get(), answer::complete);
    return awaited(answer, new Stored.Unavailable(BlobFault.TIMED_OUT, "it did not answer"));
  }

  Deleted delete(BlobName name) throws InterruptedException {
    var answer = new CompletableFuture<Deleted>();
    blobs.delete(name, loops.get(), answer::complete);
    return awaited(answer, new Deleted.Unavailable(BlobFault.TIMED_OUT, "it did not answer"));
  }

  private <T> T awaited(CompletableFuture<T> answer, T otherwise) throws InterruptedException {
    try {
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return otherwise;
    } catch (ExecutionException e) {
      throw new IllegalStateException("nobody completes it so", e);
    }
  }
}
