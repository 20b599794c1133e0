package dev.tollgate.core.storage.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.storage.s3.S3Bucket.Addressing;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.ScriptedConnector;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests to a bucket, and failures of the store, in frozen time. */
class S3BlobStoreTest {
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final OrgId ORG = new OrgId(UUID.randomUUID());
  private static final String HOST = "storage.test";
  private static final AwsCredentials KEYS =
      new AwsCredentials("eu-west-1", "AKID", new Secret("shh-secret"), Optional.empty());
  private static final String OK = "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 0\r\n\r\n";

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  private final ScriptedConnector connector = new ScriptedConnector(allocator);
  private final Upstreams upstreams = new Upstreams(connector);
  private final S3BlobStore blobs = blobs(Addressing.PATH);
  private final List<StoreBlobResult> stored = new ArrayList<>();
  private final List<DeleteBlobResult> deleted = new ArrayList<>();

  private S3BlobStore blobs(Addressing addressing) {
    var service = new EndpointIdentity(false, HOST, 9000);
    var bucket =
        S3Bucket.of(
            service, "pictures", addressing, KEYS, Duration.ofHours(1), Duration.ofSeconds(20));
    return new S3BlobStore(bucket, upstreams, allocator, () -> NOW);
  }

  @AfterEach
  void nothingIsHeld() {
    upstreams.close();
    run();
    connector.links().forEach(ProviderLink::received);
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(loop.runScheduledPendingTasks()).isEqualTo(-1);
    loop.close();
  }

  private void store(int bytes) {
    ByteBuf body =
        allocator.buffer(Math.max(1, bytes)).writeBytes("p".repeat(bytes).getBytes(UTF_8));
    blobs.store(
        new Blob(ORG, BlobType.PNG, Duration.ofDays(2), body), loop.eventLoop(), stored::add);
    assertThat(stored).isEmpty();
    run();
  }

  private void run() {
    do {
      loop.runPendingTasks();
    } while (loop.hasPendingTasks());
  }

  private void pass(Duration time) {
    for (long millis = 0; millis < time.toMillis(); millis += 50) {
      ticker.advanceMillis(50);
      run();
    }
  }

  private ProviderLink link(int n) {
    return connector.links().get(n);
  }

  private void answer(int link, String response) {
    link(link).send(response);
    run();
  }

  private static String error(String status, String code) {
    String body = "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code></Error>";
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
  }

  private BlobFailure fault() {
    assertThat(stored).singleElement().isInstanceOf(StoreBlobResult.Unavailable.class);
    return ((StoreBlobResult.Unavailable) stored.getFirst()).failure();
  }

  @Test
  void anOutputIsPutUnderItsName() {
    store(300_000);
    String sent = link(0).received();
    answer(0, OK);
    assertThat(stored).singleElement().isInstanceOf(StoreBlobResult.Kept.class);
    BlobName name = ((StoreBlobResult.Kept) stored.getFirst()).name();
    assertThat(sent)
        .startsWith("PUT /pictures/" + name + " HTTP/1.1\r\n")
        .contains("\r\nhost: storage.test:9000\r\n")
        .contains("\r\ncontent-type: image/png\r\n")
        .contains("\r\ncontent-disposition: attachment\r\n")
        .contains("\r\ncontent-length: 300000\r\n")
        .contains("\r\nx-amz-date: 20261122T100000Z\r\n")
        .endsWith("\r\n\r\n" + "p".repeat(300_000))
        .doesNotContain("shh-secret")
        .doesNotContain(ORG.toString());
    assertThat(name.day()).isEqualTo("20261124");
    assertThat(blobs.url(name).url())
        .startsWith("http://storage.test:9000/pictures/" + name + "?X-Amz-Algorithm=")
        .contains("&X-Amz-Expires=3600&");
    assertThat(blobs(Addressing.HOST).url(name).url())
        .startsWith("http://pictures.storage.test:9000/" + name + "?");
    assertThat(blobs.url(name).expiresAt()).isEqualTo(NOW.plus(Duration.ofHours(1)));
  }

  @Test
  void aConnectionServesAgain() {
    store(10);
    answer(0, OK);
    stored.clear();
    store(10);
    answer(0, OK);
    assertThat(stored).singleElement().isInstanceOf(StoreBlobResult.Kept.class);
    assertThat(connector.links()).hasSize(1);
  }

  @Test
  void whatHadIdledTooLongIsReplacedAtOnce() {
    store(10);
    answer(0, OK);
    stored.clear();
    link(0).failWrites();
    store(10);
    assertThat(connector.links()).hasSize(2);
    answer(1, OK);
    assertThat(stored).singleElement().isInstanceOf(StoreBlobResult.Kept.class);
  }

  @Test
  void aFailureThatMayPassIsTriedAgainUnderTheSameName() {
    store(10);
    answer(0, error("503 Slow Down", "SlowDown"));
    pass(Duration.ofSeconds(1));
    link(0).reset();
    run();
    pass(Duration.ofSeconds(2));
    assertThat(stored).isEmpty();
    answer(1, OK);
    assertThat(stored).singleElement().isInstanceOf(StoreBlobResult.Kept.class);
    BlobName name = ((StoreBlobResult.Kept) stored.getFirst()).name();
    assertThat(link(0).received().split("PUT /pictures/" + name + " ", -1)).hasSize(3);
    assertThat(link(1).received()).startsWith("PUT /pictures/" + name + " ");
  }

  @Test
  void aBodyThatCameTooSlowlyIsSentAgain() {
    store(10);
    answer(0, error("400 Bad Request", "RequestTimeout"));
    pass(Duration.ofSeconds(1));
    answer(0, OK);
    assertThat(stored).singleElement().isInstanceOf(StoreBlobResult.Kept.class);
  }

  @Test
  void threeAttemptsAreEnough() {
    store(10);
    for (int i = 0; i < 3; i++) {
      assertThat(stored).isEmpty();
      answer(0, error("500 Oops", "InternalError"));
      pass(Duration.ofSeconds(2));
    }
    assertThat(fault()).isEqualTo(BlobFailure.FAILED);
    assertThat(((StoreBlobResult.Unavailable) stored.getFirst()).reason())
        .isEqualTo("500 InternalError");
  }

  @Test
  void whatIsRefusedIsNotRepeated() {
    store(10);
    answer(0, error("403 Forbidden", "SignatureDoesNotMatch"));
    pass(Duration.ofSeconds(2));
    assertThat(fault()).isEqualTo(BlobFailure.REFUSED);
    assertThat(connector.links()).hasSize(1);
    assertThat(link(0).received().split("PUT ", -1)).hasSize(2);
  }

  @Test
  void aBucketElsewhereAndAFullOneAreReported() {
    store(10);
    answer(0, error("301 Moved", "PermanentRedirect"));
    assertThat(fault()).isEqualTo(BlobFailure.REFUSED);
    stored.clear();
    store(10);
    answer(0, error("507 Insufficient Storage", "XMinioStorageFull"));
    assertThat(fault()).isEqualTo(BlobFailure.FULL);
  }

  @Test
  void noServer() {
    connector.behavior(HOST, ConnectBehavior.REFUSES);
    store(10);
    pass(Duration.ofSeconds(3));
    assertThat(fault()).isEqualTo(BlobFailure.UNREACHABLE);
  }

  @Test
  void whoNeverAnswersCostsItsTimeAndNoMore() {
    store(10);
    pass(Duration.ofSeconds(19));
    assertThat(stored).isEmpty();
    pass(Duration.ofSeconds(2));
    assertThat(fault()).isEqualTo(BlobFailure.TIMED_OUT);
    assertThat(link(0).isOpen()).isFalse();
    String put = link(0).received();
    assertThat(link(1).received())
        .as("a blob that may have been stored is deleted: its name was never given out")
        .startsWith("DELETE" + put.substring("PUT".length(), put.indexOf(" HTTP/1.1")));
    answer(1, "HTTP/1.1 204 No Content\r\n\r\n");
  }

  @Test
  void whatIsLargeMayTakeAsLongAsASlowLineNeeds() {
    store(24 << 20);
    pass(Duration.ofSeconds(23));
    assertThat(stored).isEmpty();
    answer(0, OK);
    assertThat(stored).singleElement().isInstanceOf(StoreBlobResult.Kept.class);
  }

  @Test
  void whoTakesNothingHoldsNoMoreThanTheOutput() {
    connector.holdNewLinks(true);
    store(1_000_000);
    pass(Duration.ofSeconds(21));
    assertThat(fault()).isEqualTo(BlobFailure.TIMED_OUT);
    pass(Duration.ofSeconds(21)); // the server does not accept the deletion either
  }

  @Test
  void anAnswerAheadOfTheBodysEndCounts() {
    connector.holdNewLinks(true);
    store(1_000_000);
    answer(0, error("403 Forbidden", "AccessDenied"));
    assertThat(fault()).isEqualTo(BlobFailure.REFUSED);
    assertThat(link(0).isOpen()).isFalse();
  }

  @Test
  void deletingIsDoneHoweverOften() {
    BlobName name =
        BlobName.parse("20261124/0123456789abcdef/00000000000000000000000000.png").orElseThrow();
    blobs.delete(name, loop.eventLoop(), deleted::add);
    run();
    assertThat(link(0).received()).startsWith("DELETE /pictures/" + name + " HTTP/1.1\r\n");
    answer(0, "HTTP/1.1 204 No Content\r\n\r\n");
    blobs.delete(name, loop.eventLoop(), deleted::add);
    run();
    answer(0, error("404 Not Found", "NoSuchKey"));
    assertThat(deleted).hasSize(2).allMatch(one -> one instanceof DeleteBlobResult.Gone);
    blobs.delete(name, loop.eventLoop(), deleted::add);
    run();
    answer(0, error("403 Forbidden", "AccessDenied"));
    assertThat(deleted.getLast()).isInstanceOf(DeleteBlobResult.Unavailable.class);
    blobs.delete(name, loop.eventLoop(), deleted::add);
    run();
    answer(0, error("404 Not Found", "NoSuchBucket"));
    assertThat(deleted.getLast())
        .isEqualTo(new DeleteBlobResult.Unavailable(BlobFailure.REFUSED, "404 NoSuchBucket"));
  }
}
