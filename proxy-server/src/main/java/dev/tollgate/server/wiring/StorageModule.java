package dev.tollgate.server.wiring;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.exchange.download.DownloadService;
import dev.tollgate.core.exchange.download.Downloads;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.storage.BlobSigningKey;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.PathSigner;
import dev.tollgate.core.storage.s3.S3BlobStore;
import dev.tollgate.core.storage.s3.S3Bucket;
import dev.tollgate.core.storage.s3.S3Bucket.Addressing;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.OutputFamily;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.ops.MeteredBlobs;
import dev.tollgate.server.settings.ObjectStorageSettings;
import dev.tollgate.server.settings.value.HttpUrl;
import dev.tollgate.server.storage.BlobExpiry;
import dev.tollgate.server.storage.DirectoryBlobStore;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Wiring of the storage for generated outputs, as configured: none, a directory or an S3 bucket.
 */
final class StorageModule implements AutoCloseable {
  /**
   * Number of threads for disk access, which all wait for one disk; a hanging disk blocks all of
   * them.
   */
  private static final int DISK_THREADS = 4;

  private static final int DISK_TASKS_MAX = 1_000;

  /** The journal is on the same disk: outputs stop long before requests are refused. */
  private static final long FREE_BYTES_MIN = 2 * JournalOptions.RESERVE_BYTES;

  private final Outputs outputs;
  private final DownloadService downloads;
  private final Runnable close;

  private StorageModule(Outputs outputs, DownloadService downloads, Runnable close) {
    this.outputs = outputs;
    this.downloads = downloads;
    this.close = close;
  }

  /**
   * Opens the storage; fails if a directory cannot be written. A bucket is first called for the
   * first output, because its service may start later.
   *
   * @param base returns the base URL of this gateway once it listens
   */
  static StorageModule open(
      @Nullable ObjectStorageSettings settings,
      Upstreams upstreams,
      ByteBufAllocator allocator,
      Metrics metrics,
      Supplier<String> base)
      throws StartException {
    if (settings == null) {
      return new StorageModule(new Outputs.Passed(), DownloadService.NONE, () -> {});
    }
    return settings.directory() != null
        ? directory(settings.directory(), settings, metrics, base)
        : bucket(settings, upstreams, allocator, metrics);
  }

  private static StorageModule directory(
      Path directory, ObjectStorageSettings settings, Metrics metrics, Supplier<String> base)
      throws StartException {
    InstantSource clock = InstantSource.system();
    BlobSigningKey key;
    try {
      key = DirectoryBlobStore.prepare(directory);
    } catch (IOException e) {
      throw new StartException("object_storage.directory cannot be used: " + e, e);
    }
    var offload = new BoundedOffload(DISK_THREADS, DISK_TASKS_MAX);
    var signer = new PathSigner(key, clock, settings.urlTtl(), base);
    Duration timeout = settings.timeout();
    var kept = new DirectoryBlobStore(directory, FREE_BYTES_MIN, offload, clock, timeout, signer);
    var downloads = new Downloads(signer, kept);
    var expiry = new BlobExpiry(directory, clock);
    expiry.start();
    metrics.gauge(OutputFamily.DOWNLOADS, downloads::open);
    metrics.counter(OutputFamily.OUTPUTS_EXPIRED, expiry::deleted);
    Runnable close =
        () -> {
          expiry.close();
          offload.close();
        };
    var metered = new MeteredBlobs(kept, metrics);
    return new StorageModule(kept(metered, settings), downloads, close);
  }

  private static StorageModule bucket(
      ObjectStorageSettings settings,
      Upstreams upstreams,
      ByteBufAllocator allocator,
      Metrics metrics) {
    S3Bucket bucket = bucket(settings);
    upstreams.keepAlways(bucket.endpoint());
    var kept = new S3BlobStore(bucket, upstreams, allocator, InstantSource.system());
    var metered = new MeteredBlobs(kept, metrics);
    var outputs = kept(metered, settings);
    return new StorageModule(outputs, DownloadService.NONE, () -> {});
  }

  private static Outputs kept(BlobStore blobs, ObjectStorageSettings settings) {
    return new Outputs.Kept(blobs, settings.imageRetention(), settings.timeout());
  }

  /** Returns the configured bucket; the settings loader has checked that all values are present. */
  private static S3Bucket bucket(ObjectStorageSettings settings) {
    HttpUrl url = Objects.requireNonNull(settings.endpoint());
    Secret id = Objects.requireNonNull(settings.accessKey());
    Secret secret = Objects.requireNonNull(settings.secretKey());
    Duration timeout = settings.timeout();
    return S3Bucket.of(
        new EndpointIdentity(url.tls(), url.host(), url.port()),
        Objects.requireNonNull(settings.bucket()),
        settings.pathStyle() ? Addressing.PATH : Addressing.HOST,
        new AwsCredentials(settings.region(), id.reveal(), secret, Optional.empty()),
        settings.urlTtl(),
        timeout);
  }

  /** Returns the timeout of storing an output. */
  Duration timeout() {
    return switch (outputs) {
      case Outputs.Kept kept -> kept.timeout();
      case Outputs.Passed _ -> Duration.ZERO;
    };
  }

  /** Returns the blob store; empty if outputs are not stored. */
  Optional<BlobStore> blobs() {
    return switch (outputs) {
      case Outputs.Kept kept -> Optional.of(kept.blobs());
      case Outputs.Passed _ -> Optional.empty();
    };
  }

  /** Returns the treatment of outputs whose URL a client requests. */
  Outputs outputs() {
    return outputs;
  }

  /**
   * Returns the download service for outputs in a directory; those in a bucket are fetched there.
   */
  DownloadService downloads() {
    return downloads;
  }

  @Override
  public void close() {
    close.run();
  }
}
