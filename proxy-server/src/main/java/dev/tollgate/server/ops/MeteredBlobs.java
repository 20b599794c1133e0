package dev.tollgate.server.ops;

import dev.tollgate.core.blob.Blob;
import dev.tollgate.core.blob.BlobFault;
import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.Blobs;
import dev.tollgate.core.blob.Deleted;
import dev.tollgate.core.blob.SignedUrl;
import dev.tollgate.core.blob.Silence;
import dev.tollgate.core.blob.Stored;
import io.netty.channel.EventLoop;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a store keeps and what it fails to, and lets nobody wait for one that did not answer
 * a moment ago.
 */
public final class MeteredBlobs implements Blobs {
  private static final Logger log = LoggerFactory.getLogger(MeteredBlobs.class);
  private static final double[] SECONDS = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

  private final Blobs inner;
  private final CounterDataPoint stored;
  private final CounterDataPoint bytes;
  private final DistributionDataPoint durations;
  private final Counter failures;
  private final Silence silence = new Silence();

  public MeteredBlobs(Blobs inner, Metrics metrics) {
    this.inner = inner;
    stored = metrics.counter(Family.OUTPUTS_STORED).labelValues();
    bytes = metrics.counter(Family.OUTPUT_BYTES).labelValues();
    durations = metrics.histogram(Family.OUTPUT_STORE_DURATION, SECONDS).labelValues();
    failures = metrics.counter(Family.OUTPUT_FAILURES);
    for (BlobFault fault : BlobFault.values()) {
      failures.labelValues(fault.wire()); // shown as 0 also where nothing has failed so far
    }
  }

  @Override
  public void store(Blob blob, EventLoop loop, Consumer<Stored> whenDone) {
    if (silence.lasts(loop)) {
      blob.bytes().release();
      loop.execute(() -> answered(silence.told(), 0, whenDone));
      return;
    }
    long length = blob.bytes().readableBytes();
    long began = loop.ticker().nanoTime();
    inner.store(
        blob,
        loop,
        came -> {
          durations.observe((loop.ticker().nanoTime() - began) / 1e9);
          silence.heard(came, loop);
          answered(came, length, whenDone);
        });
  }

  private void answered(Stored came, long length, Consumer<Stored> whenDone) {
    switch (came) {
      case Stored.Kept _ -> {
        stored.inc();
        bytes.inc(length);
      }
      case Stored.Unavailable no -> failures.labelValues(no.fault().wire()).inc();
    }
    whenDone.accept(came);
  }

  @Override
  public SignedUrl url(BlobName name) {
    return inner.url(name);
  }

  @Override
  public void delete(BlobName name, EventLoop loop, Consumer<Deleted> whenDone) {
    inner.delete(
        name,
        loop,
        came -> {
          if (came instanceof Deleted.Unavailable no) {
            failures.labelValues(no.fault().wire()).inc();
            log.warn("an output is not deleted: {} ({})", no.fault().wire(), no.reason());
          }
          whenDone.accept(came);
        });
  }
}
