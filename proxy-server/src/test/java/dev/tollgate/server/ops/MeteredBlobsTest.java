package dev.tollgate.server.ops;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.testkit.InMemoryBlobs;
import dev.tollgate.server.metrics.Metrics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Results of storing are counted, and a store that timed out is spared for a while. */
final class MeteredBlobsTest {
  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
  private final Metrics metrics = new Metrics();
  private final InMemoryBlobs inner =
      new InMemoryBlobs(() -> Instant.parse("2026-11-22T10:00:00Z"), Duration.ofHours(1));
  private final MeteredBlobs blobs = new MeteredBlobs(inner, metrics);

  private StoreBlobResult store(String text) {
    List<StoreBlobResult> came = new ArrayList<>();
    ByteBuf bytes = Unpooled.copiedBuffer(text, UTF_8);
    Blob blob = new Blob(new OrgId(new UUID(1, 2)), BlobType.PNG, Duration.ofDays(1), bytes);
    blobs.store(blob, loop.eventLoop(), came::add);
    assertThat(came).isEmpty();
    loop.runPendingTasks();
    assertThat(bytes.refCnt()).isZero();
    return came.getFirst();
  }

  private List<String> scraped(String family) throws IOException {
    return metrics
        .scrape(null)
        .text()
        .lines()
        .filter(line -> line.startsWith(family) && !line.endsWith(" 0.0"))
        .toList();
  }

  @Test
  void storesAndFailuresAreCounted() throws IOException {
    assertThat(store("abc")).isInstanceOf(StoreBlobResult.Kept.class);
    assertThat(store("defg")).isInstanceOf(StoreBlobResult.Kept.class);
    inner.fail(BlobFailure.FULL);
    assertThat(store("x")).isInstanceOf(StoreBlobResult.Unavailable.class);
    BlobName name = inner.kept().keySet().iterator().next();
    blobs.delete(name, loop.eventLoop(), _ -> {});
    loop.runPendingTasks();
    assertThat(scraped("tollgate_outputs_stored"))
        .containsExactlyInAnyOrder(
            "tollgate_outputs_stored_bytes_total 7.0", "tollgate_outputs_stored_total 2.0");
    assertThat(scraped("tollgate_output_failures_total"))
        .containsExactly("tollgate_output_failures_total{reason=\"full\"} 2.0");
    assertThat(scraped("tollgate_output_store_seconds_count")).hasSize(1);
    assertThat(blobs.url(name)).isEqualTo(inner.url(name));
  }

  @Test
  void callsFailAtOnceAfterATimeout() {
    inner.fail(BlobFailure.TIMED_OUT);
    assertThat(store("a"))
        .isEqualTo(new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, "failing on request"));
    inner.fail(BlobFailure.FAILED);
    var atOnce =
        new StoreBlobResult.Unavailable(
            BlobFailure.UNREACHABLE, "the store did not answer recently");
    assertThat(store("b")).isEqualTo(atOnce);
    ticker.advanceMillis(4_999);
    assertThat(store("c")).isEqualTo(atOnce);
    ticker.advanceMillis(2);
    assertThat(store("d"))
        .isEqualTo(new StoreBlobResult.Unavailable(BlobFailure.FAILED, "failing on request"));
    assertThat(store("e"))
        .isEqualTo(new StoreBlobResult.Unavailable(BlobFailure.FAILED, "failing on request"));
  }
}
