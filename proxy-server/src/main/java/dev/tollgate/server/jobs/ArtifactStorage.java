package dev.tollgate.server.jobs;

import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.storage.StoreTimeout;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Blocking access of job workers to the gateway's blob storage. */
public final class ArtifactStorage {
  private final BlobStore blobs;
  private final Supplier<EventLoop> loops;
  private final Duration timeout;

  /**
   * Wraps {@code blobs}.
   *
   * @param loops returns the event loop of each call
   * @param timeout the longest wait, extended for large blobs; longer than the storage's own
   *     timeout
   */
  public ArtifactStorage(BlobStore blobs, Supplier<EventLoop> loops, Duration timeout) {
    this.blobs = blobs;
    this.loops = loops;
    this.timeout = timeout;
  }

  /** Stores a blob; takes over the bytes. */
  StoreBlobResult store(Blob blob) throws InterruptedException {
    Duration within = StoreTimeout.of(timeout, 2L * blob.bytes().readableBytes());
    var answer = new CompletableFuture<StoreBlobResult>();
    EventLoop loop = loops.get();
    blobs.store(
        blob,
        loop,
        stored -> {
          if (!answer.complete(stored)) {
            deleteOrphan(stored, loop);
          }
        });
    var late = new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, "the storage did not answer");
    try {
      return await(answer, within, late);
    } catch (InterruptedException e) {
      if (!answer.complete(late)) {
        deleteOrphan(answer.join(), loop);
      }
      throw e;
    }
  }

  /** Deletes a blob that was stored after the timeout: its name was never given out. */
  private void deleteOrphan(StoreBlobResult stored, EventLoop loop) {
    if (stored instanceof StoreBlobResult.Kept kept) {
      blobs.delete(kept.name(), loop, _ -> {});
    }
  }

  DeleteBlobResult delete(BlobName name) throws InterruptedException {
    var answer = new CompletableFuture<DeleteBlobResult>();
    blobs.delete(name, loops.get(), answer::complete);
    return await(
        answer,
        timeout,
        new DeleteBlobResult.Unavailable(BlobFailure.TIMED_OUT, "the storage did not answer"));
  }

  private static <T> T await(CompletableFuture<T> answer, Duration within, T otherwise)
      throws InterruptedException {
    try {
      return answer.get(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return answer.complete(otherwise) ? otherwise : answer.join();
    } catch (ExecutionException e) {
      throw new IllegalStateException("completed normally only", e);
    }
  }
}
