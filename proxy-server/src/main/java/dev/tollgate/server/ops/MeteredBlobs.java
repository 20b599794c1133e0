package dev.tollgate.server.ops;

import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobStoreOutage;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.OutputFamily;
import io.netty.channel.EventLoop;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decorator of a blob store that counts stored blobs and failures and fails fast during an outage.
 */
public final class MeteredBlobs implements BlobStore {
  private static final Logger LOG = LoggerFactory.getLogger(MeteredBlobs.class);
  private static final double[] SECONDS = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

  private final BlobStore inner;
  private final CounterDataPoint stored;
  private final CounterDataPoint bytes;
  private final DistributionDataPoint durations;
  private final Counter failures;
  private final BlobStoreOutage outage = new BlobStoreOutage();

  public MeteredBlobs(BlobStore inner, Metrics metrics) {
    this.inner = inner;
    stored = metrics.counter(OutputFamily.OUTPUTS_STORED).labelValues();
    bytes = metrics.counter(OutputFamily.OUTPUT_BYTES).labelValues();
    durations = metrics.histogram(OutputFamily.OUTPUT_STORE_DURATION, SECONDS).labelValues();
    failures = metrics.counter(OutputFamily.OUTPUT_FAILURES);
    for (BlobFailure fault : BlobFailure.values()) {
      failures.labelValues(
          fault.wire()); // registered at once, so that it is 0 before the first failure
    }
  }

  @Override
  public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
    if (outage.isActive(loop)) {
      blob.bytes().release();
      loop.execute(() -> answered(outage.asFailure(), 0, whenDone));
      return;
    }
    long length = blob.bytes().readableBytes();
    long began = loop.ticker().nanoTime();
    inner.store(
        blob,
        loop,
        result -> {
          durations.observe((loop.ticker().nanoTime() - began) / 1e9);
          outage.observe(result, loop);
          answered(result, length, whenDone);
        });
  }

  private void answered(StoreBlobResult result, long length, Consumer<StoreBlobResult> whenDone) {
    switch (result) {
      case StoreBlobResult.Kept _ -> {
        stored.inc();
        bytes.inc(length);
      }
      case StoreBlobResult.Unavailable no -> failures.labelValues(no.failure().wire()).inc();
    }
    whenDone.accept(result);
  }

  @Override
  public SignedUrl url(BlobName name) {
    return inner.url(name);
  }

  @Override
  public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
    inner.delete(
        name,
        loop,
        result -> {
          if (result instanceof DeleteBlobResult.Unavailable no) {
            failures.labelValues(no.failure().wire()).inc();
            LOG.warn("an output could not be deleted: {} ({})", no.failure().wire(), no.reason());
          }
          whenDone.accept(result);
        });
  }
}
