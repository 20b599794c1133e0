package dev.tollgate.core.storage;

import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/**
 * Port to the store of generated outputs, such as images, videos and music. Results arrive on the
 * loop of the call, never before it returns. An output that cannot be stored was paid for all the
 * same: the caller delivers the provider's URL instead, or the bytes inline.
 */
public interface BlobStore {
  /** Stores a blob under an unguessable name; takes over the bytes. */
  void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone);

  /** Returns a URL that fetches a stored blob without a key for a limited time. */
  SignedUrl url(BlobName name);

  /** Deletes a blob before it expires; one that does not exist counts as deleted. */
  void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone);
}
