package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.server.jobs.ArtifactCopy;
import dev.tollgate.server.jobs.ArtifactStorage;
import dev.tollgate.server.jobs.FileExpiry;
import dev.tollgate.server.jobs.HttpMediaProvider;
import dev.tollgate.server.jobs.JobRunner;
import dev.tollgate.server.jobs.JobStoreAdapter;
import dev.tollgate.server.jobs.MediaTarget;
import dev.tollgate.server.jobs.SpoolQuota;
import dev.tollgate.server.ledger.JournalOptions;
import dev.tollgate.server.metrics.JobFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.ops.JobMetrics;
import dev.tollgate.server.postgres.jobs.JobRows;
import dev.tollgate.server.settings.MediaSettings;
import dev.tollgate.server.settings.ModelSettings;
import dev.tollgate.server.settings.Settings;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wiring of the workers that run media jobs on this node, and of the deletion of expired files.
 * They run even if new jobs are not accepted, so that accepted jobs end.
 */
final class JobWorkers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JobWorkers.class);

  private static final Duration JOB_POLL_INTERVAL = Duration.ofMillis(200);
  private static final Duration LEFTOVER_POLL_INTERVAL = Duration.ofSeconds(5);
  private static final Duration FILE_EXPIRY_INTERVAL = Duration.ofSeconds(2);

  /**
   * Database connections besides the gateway's pool; each carries some hundred statements a second.
   */
  static final int CONNECTIONS = 4;

  /** The journal is on the same disk: copies stop long before requests are refused. */
  private static final long FREE_BYTES_MIN = 2 * JournalOptions.RESERVE_BYTES;

  /** Spool files have no directory entry, so the system frees them when the process ends. */
  private static final String SPOOL = "spool";

  private final HttpMediaProvider provider;
  private final JobRunner runner;
  private final FileExpiry expiry;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("job-files").daemon().factory());

  private JobWorkers(HttpMediaProvider provider, JobRunner runner, FileExpiry expiry) {
    this.provider = provider;
    this.runner = runner;
    this.expiry = expiry;
  }

  /**
   * Starts the workers.
   *
   * @param announce called when a job ended whose webhook may be due
   */
  static JobWorkers begin(
      Settings settings,
      JobRows rows,
      StorageModule storage,
      Network network,
      Supplier<Snapshots.Snapshot> now,
      Metrics metrics,
      Runnable announce)
      throws StartException {
    MediaSettings media = settings.media();
    var observer = new JobMetrics(metrics);
    var store =
        new JobStoreAdapter(rows, "media", InstantSource.system(), announce, media.openJobsMax());
    Supplier<EventLoop> loops = () -> network.loops().next();
    BlobStore blobs = storage.blobs().orElse(new NoBlobs());
    var times = HttpMediaProvider.MediaTimeouts.forFileBytes(media.artifactBytesMax());
    var provider = new HttpMediaProvider(times, blobs::url);
    var kept = new ArtifactStorage(blobs, loops, storage.timeout().multipliedBy(2));
    var rules =
        new ArtifactCopy.CopyOptions(
            spool(settings, metrics), media.artifactBytesMax(), media.artifactRetention());
    var copy = new ArtifactCopy(provider, kept, rules, observer);
    var pause = media.mockProvider() ? JOB_POLL_INTERVAL : LEFTOVER_POLL_INTERVAL;
    var workers = new JobRunner.RunnerOptions(media.workers(), media.lease(), pause);
    var runner =
        new JobRunner(store, provider, job -> target(now.get(), job), copy, workers, observer);
    metrics.gauge(JobFamily.JOBS_IN_WORK, runner::busyWorkers);
    metrics.gauge(StoreFamily.STORE_FAILING, "jobs", runner.outage()::gauge);
    var work = new JobWorkers(provider, runner, new FileExpiry(store, kept, observer));
    runner.start();
    long between = FILE_EXPIRY_INTERVAL.toNanos();
    work.thread.scheduleWithFixedDelay(work::expire, between, between, TimeUnit.NANOSECONDS);
    return work;
  }

  private static SpoolQuota spool(Settings settings, Metrics metrics) throws StartException {
    Path folder = settings.store().dataDir().resolve(SPOOL);
    try {
      var room =
          new SpoolQuota(
              Files.createDirectories(folder), settings.media().spoolBytesMax(), FREE_BYTES_MIN);
      metrics.gauge(JobFamily.SPOOL_BYTES, room::reservedBytes);
      return room;
    } catch (IOException e) {
      throw new StartException("store.data_dir: cannot make " + folder + ": " + e, e);
    }
  }

  private static Optional<MediaTarget> target(Snapshots.Snapshot now, Job job) {
    return ModelId.parse(job.model())
        .flatMap(now.catalog()::model)
        .flatMap(
            model ->
                model.routes().stream()
                    .filter(route -> route.provider().id().value().equals(job.provider()))
                    .findFirst()
                    .map(route -> target(model, route, defaultLength(now, model))));
  }

  private static MediaTarget target(Model model, Route route, Optional<Duration> defaultLength) {
    Provider provider = route.provider();
    String scheme = provider.endpoint().tls() ? "https://" : "http://";
    return new MediaTarget(
        URI.create(scheme + provider.endpoint().authority() + provider.basePath()),
        route.upstreamModel(),
        provider.credentials().stream().findFirst().flatMap(Credential::effectiveSecret),
        provider.headers(),
        model.prices(),
        route.cost().orElse(model.prices()),
        defaultLength,
        provider.quirks().rights().pricedOptions());
  }

  private static Optional<Duration> defaultLength(Snapshots.Snapshot now, Model model) {
    return Optional.ofNullable(now.settings().models().get(model.id()))
        .map(ModelSettings::defaultDurationSeconds)
        .map(seconds -> Duration.ofMillis(seconds.movePointRight(3).longValue()));
  }

  private void expire() {
    try {
      expiry.round();
    } catch (SQLException | RuntimeException e) {
      if (!runner.outage().isCauseOf(e)) {
        LOG.warn("expired files of jobs could not be deleted, will retry: {}", e.getMessage());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Wakes the workers, because a job may be due. */
  void wake() {
    runner.wakeUp();
  }

  @Override
  public void close() {
    runner.close();
    thread.shutdownNow();
    provider.close();
  }

  /** Blob store of a node without object storage; jobs accepted earlier may still need one. */
  private static final class NoBlobs implements BlobStore {
    private static final String REASON = "object_storage is not configured";

    @Override
    public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
      blob.bytes().release();
      loop.execute(
          () -> whenDone.accept(new StoreBlobResult.Unavailable(BlobFailure.REFUSED, REASON)));
    }

    @Override
    public SignedUrl url(BlobName name) {
      return new SignedUrl("", Instant.EPOCH);
    }

    @Override
    public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
      loop.execute(
          () -> whenDone.accept(new DeleteBlobResult.Unavailable(BlobFailure.REFUSED, REASON)));
    }
  }
}
