package dev.tollgate.server.wiring;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.settings.Settings;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Test of the configured object storage for {@code tollgate check}, and its result. An empty output
 * is stored and deleted the way the gateway does it.
 */
public sealed interface StorageProbe {
  /** The output was stored and deleted. */
  record Passed(String detail) implements StorageProbe {}

  record Failed(String reason) implements StorageProbe {}

  /** Runs the check; blocks for twice {@code object_storage.timeout} at most. */
  static StorageProbe of(Settings settings) {
    try (var network = new Network(settings.server())) {
      var upstreams = new Upstreams(network.connector());
      try (var storage = open(settings, upstreams, network)) {
        return probe(storage.blobs().orElseThrow(), network.loops().next());
      } finally {
        upstreams.close();
      }
    } catch (StartException e) {
      return new Failed(String.valueOf(e.getMessage()));
    }
  }

  private static StorageModule open(Settings settings, Upstreams upstreams, Network network)
      throws StartException {
    var where = settings.objectStorage();
    return StorageModule.open(where, upstreams, network.allocator(), new Metrics(), () -> "");
  }

  private static StorageProbe probe(BlobStore blobs, EventLoop loop) {
    var blob =
        new Blob(
            new OrgId(new UUID(0, 0)), BlobType.PNG, Duration.ofHours(1), Unpooled.buffer(0, 0));
    return switch (store(blobs, blob, loop)) {
      case StoreBlobResult.Kept kept -> delete(blobs, kept.name(), loop);
      case StoreBlobResult.Unavailable no ->
          new Failed("cannot store: " + no.failure().wire() + ", " + no.reason());
    };
  }

  private static StoreBlobResult store(BlobStore blobs, Blob blob, EventLoop loop) {
    var answer = new CompletableFuture<StoreBlobResult>();
    loop.execute(() -> blobs.store(blob, loop, answer::complete));
    return answer.join();
  }

  private static StorageProbe delete(BlobStore blobs, BlobName name, EventLoop loop) {
    var answer = new CompletableFuture<DeleteBlobResult>();
    loop.execute(() -> blobs.delete(name, loop, answer::complete));
    return switch (answer.join()) {
      case DeleteBlobResult.Gone _ -> new Passed("stored and deleted");
      case DeleteBlobResult.Unavailable no ->
          new Failed("stored, but cannot delete: " + no.reason());
    };
  }
}
