package dev.tollgate.server.wiring;

import dev.tollgate.core.blob.Blob;
import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.BlobType;
import dev.tollgate.core.blob.Blobs;
import dev.tollgate.core.blob.Deleted;
import dev.tollgate.core.blob.Stored;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.settings.Settings;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Whether outputs can be kept where the configuration says, for who has not started yet: an empty
 * one is stored and deleted, as the gateway would.
 */
public sealed interface StorageProbe {
  /** It was stored and deleted again. */
  record Good(String how) implements StorageProbe {}

  record Bad(String why) implements StorageProbe {}

  /** Tries; blocks for twice {@code object_storage.timeout} at most. */
  static StorageProbe of(Settings settings) {
    try (var network = new Network(settings.server())) {
      var upstreams = new Upstreams(network.connector());
      try (var storage = open(settings, upstreams, network)) {
        return tried(storage.blobs().orElseThrow(), network.loops().next());
      } finally {
        upstreams.close();
      }
    } catch (StartException e) {
      return new Bad(String.valueOf(e.getMessage()));
    }
  }

  private static Storage open(Settings settings, Upstreams upstreams, Network network)
      throws StartException {
    var where = settings.objectStorage();
    return Storage.open(where, upstreams, network.allocator(), new Metrics(), () -> "");
  }

  private static StorageProbe tried(Blobs blobs, EventLoop loop) {
    var blob =
        new Blob(
            new OrgId(new UUID(0, 0)), BlobType.PNG, Duration.ofHours(1), Unpooled.buffer(0, 0));
    return switch (stored(blobs, blob, loop)) {
      case Stored.Kept kept -> deleted(blobs, kept.name(), loop);
      case Stored.Unavailable no ->
          new Bad("cannot store: " + no.fault().wire() + ", " + no.reason());
    };
  }

  private static Stored stored(Blobs blobs, Blob blob, EventLoop loop) {
    var answer = new CompletableFuture<Stored>();
    loop.execute(() -> blobs.store(blob, loop, answer::complete));
    return answer.join();
  }

  private static StorageProbe deleted(Blobs blobs, BlobName name, EventLoop loop) {
    var answer = new CompletableFuture<Deleted>();
    loop.execute(() -> blobs.delete(name, loop, answer::complete));
    return switch (answer.join()) {
      case Deleted.Gone _ -> new Good("stored and deleted");
      case Deleted.Unavailable no -> new Bad("stored, but cannot delete: " + no.reason());
    };
  }
}
