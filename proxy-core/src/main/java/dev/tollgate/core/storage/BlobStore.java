package dev.tollgate.core.storage;

import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/**
 * Port to where outputs are kept for clients. Answers come on the loop that asked, never before the
 * call returns. What cannot be kept was paid for all the same: who has the provider's own URL hands
 * that out, and who has the bytes answers them inline.
 */
public interface BlobStore {
  /** Keeps a blob, whose bytes are owned from here on, under a name that nobody can guess. */
  void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone);

  /** Where a kept blob can be fetched without a key, from now on and for a while. */
  SignedUrl url(BlobName name);

  /** Deletes a blob before its time; one that is not there counts as deleted. */
  void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone);
}
