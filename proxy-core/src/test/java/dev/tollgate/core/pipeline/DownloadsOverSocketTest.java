package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.download.Downloads;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobSigningKey;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.PathSigner;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Downloads of stored files by signed URL. */
final class DownloadsOverSocketTest {
  private static final int OPEN_MAX = 3;
  private static final OrgId ORG = new OrgId(UUID.randomUUID());

  private volatile Instant now = Instant.parse("2026-11-22T10:00:00Z");
  private final ScriptedFiles files = new ScriptedFiles();
  private static final String BASE = "https://gateway.test";
  private final PathSigner signer =
      new PathSigner(
          new BlobSigningKey("0a1b2c3d", "7".repeat(64)),
          () -> now,
          Duration.ofHours(1),
          () -> BASE);
  private final Downloads downloads = new Downloads(signer, files, OPEN_MAX);
  private final TestGateway gateway =
      new TestGateway(Transport.auto(), TestGateway.OPTIONS, null, downloads);

  @AfterEach
  void close() throws Exception {
    gateway.awaitNoConnection();
    gateway.close();
    assertThat(files.open).hasValue(0);
    assertThat(downloads.open()).isZero();
  }

  private BlobName keep(BlobType type, int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    BlobName name =
        BlobName.of(new Blob(ORG, type, Duration.ofDays(7), Unpooled.EMPTY_BUFFER), now);
    files.kept.put(name, content);
    return name;
  }

  private String url(BlobName name) {
    return signer.url(name).url().substring(BASE.length());
  }

  @Test
  void aSignedUrlIsAnsweredWithoutAKeyAndTheConnectionIsKept() throws Exception {
    BlobName large = keep(BlobType.PNG, 300_001);
    BlobName empty = keep(BlobType.MP3, 0);
    try (RawClient client = gateway.connect()) {
      RawResponse response = client.get(url(large)).readResponse();
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("content-type")).isEqualTo("image/png");
      assertThat(response.header("content-length")).isEqualTo("300001");
      assertThat(response.header("x-content-type-options")).isEqualTo("nosniff");
      assertThat(response.header("content-disposition")).isEqualTo("attachment");
      assertThat(response.header("cache-control")).isEqualTo("private, no-store");
      assertThat(response.header("set-cookie")).isNull();
      assertThat(response.body()).isEqualTo(files.kept.get(large));
      RequestRecord record = gateway.awaitRecord();
      assertThat(record.route()).isEqualTo("/artifacts/{day}/{owner}/{file}");
      assertThat(record.http().responseBytes()).isEqualTo(300_001);
      assertThat(record.outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(record.key()).isNull();

      RawResponse nothing = client.get(url(empty)).readResponse();
      assertThat(nothing.header("content-length")).isEqualTo("0");
      assertThat(nothing.header("content-type")).isEqualTo("audio/mpeg");
      assertThat(client.get("/v1/models", gateway.keys.authorization()).readResponse().status())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "bytes=0-0, 0, 0",
    "bytes=0-99999, 0, 99999",
    "bytes=65535-98304, 65535, 98304",
    "Bytes=99999-, 99999, 99999",
    "bytes=1-, 1, 99999",
    "bytes=50000-999999999999, 50000, 99999",
    "bytes=-1, 99999, 99999",
    "bytes=-40000, 60000, 99999",
    "bytes=-100001, 0, 99999",
  })
  void aRangeIsAnsweredAndTheConnectionLivesOn(String range, int first, int last) throws Exception {
    BlobName name = keep(BlobType.MP4, 100_000);
    try (RawClient client = gateway.connect()) {
      RawResponse response = client.get(url(name), "Range: " + range).readResponse();
      assertThat(response.status()).isEqualTo(206);
      assertThat(response.header("content-range")).isEqualTo("bytes %d-%d/100000", first, last);
      assertThat(response.header("content-length")).isEqualTo("" + (last + 1 - first));
      assertThat(response.header("content-type")).isEqualTo("video/mp4");
      assertThat(response.body())
          .isEqualTo(Arrays.copyOfRange(files.kept.get(name), first, last + 1));
      RequestRecord record = gateway.awaitRecord();
      assertThat(record.status()).isEqualTo(206);
      assertThat(record.http().responseBytes()).isEqualTo(last + 1 - first);
      RawResponse whole = client.get(url(name)).readResponse();
      assertThat(whole.header("accept-ranges")).isEqualTo("bytes");
      assertThat(whole.body()).hasSize(100_000);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "100000, bytes=100000-",
    "100000, bytes=100000-100001",
    "100000, bytes=-0",
    "0, bytes=0-",
    "0, bytes=-5"
  })
  void whereAFileHasNothingThatIsSaid(int bytes, String range) throws Exception {
    BlobName name = keep(BlobType.MP4, bytes);
    try (RawClient client = gateway.connect()) {
      RawResponse response = client.get(url(name), "Range: " + range).readResponse();
      assertThat(response.status()).isEqualTo(416);
      assertThat(response.header("content-range")).isEqualTo("bytes */" + bytes);
      assertThat(response.body()).isEmpty();
      RequestRecord record = gateway.awaitRecord();
      assertThat(record.status()).isEqualTo(416);
      assertThat(record.outcome()).isEqualTo(RequestOutcome.REJECTED);
      assertThat(client.get(url(name)).readResponse().status()).isEqualTo(200);
    }
    assertThat(files.reads.get()).isLessThanOrEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Range: bytes=0-1,5-6",
        "Range: bytes=5-4",
        "Range: bytes=-",
        "Range: bytes=a-",
        "Range: bytes=0x1-2",
        "Range: bytes=+1-2",
        "Range: bytes = 1-2",
        "Range: bytes=1-9999999999999999999",
        "Range: items=0-1",
        "Range: 0-1",
        "Range: bytes=0-1\r\nRange: bytes=2-3",
        "Range: bytes=0-1\r\nIf-Range: \"a\"",
      })
  void whatIsNoRangeOrSeveralGetsAllOfIt(String field) {
    BlobName name = keep(BlobType.PNG, 10);
    try (RawClient client = gateway.connect()) {
      RawResponse response = client.get(url(name), field).readResponse();
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("content-range")).isNull();
      assertThat(response.body()).hasSize(10);
    }
  }

  @Test
  void headHasTheSameFieldsWithoutTheBytes() throws Exception {
    BlobName name = keep(BlobType.WEBP, 70_000);
    try (RawClient client = gateway.connect()) {
      client.send("HEAD " + url(name) + " HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1\r\n\r\n");
      RawResponse head = client.readHeadResponse();
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.header("content-length")).isEqualTo("70000");
      assertThat(files.reads).hasValue(0);
      assertThat(client.get(url(name)).readResponse().body()).hasSize(70_000);
    }
  }

  @Test
  void whateverIsWrongWithAUrlTheAnswerIsTheSame() {
    BlobName one = keep(BlobType.PNG, 10);
    BlobName other = keep(BlobType.PNG, 11);
    BlobName absent = keep(BlobType.PNG, 12);
    files.kept.remove(absent);
    String url = url(one);
    String query = url.substring(url.indexOf('?'));
    long exp = Long.parseLong(url.substring(url.indexOf("exp=") + 4, url.indexOf("&kid")));
    String[] wrong = {
      url(absent),
      url.substring(0, url.indexOf('?')),
      url.replace(one.id(), other.id()),
      url.replace("exp=" + exp, "exp=" + (exp + 1)),
      url.replace("kid=0a1b2c3d", "kid=0a1b2c3e"),
      url.substring(0, url.length() - 1) + (url.endsWith("0") ? "1" : "0"),
      url + "0",
      url + "&x=1",
      "/artifacts/" + query,
      "/artifacts/../artifacts/" + one + query,
      "/artifacts/%2e%2e/key" + query,
      "/artifacts/" + one.toString().replace("/", "%2F") + query,
    };
    try (RawClient client = gateway.connect()) {
      String answer = reported(client.get(wrong[0]).readResponse());
      assertThat(answer).contains("not_found");
      for (String target : wrong) {
        assertThat(reported(client.get(target).readResponse())).as(target).isEqualTo(answer);
        assertThat(reported(client.get(target, gateway.keys.authorization()).readResponse()))
            .isEqualTo(answer);
      }
      assertThat(client.get(url).readResponse().status()).isEqualTo(200);
      now = now.plus(Duration.ofHours(1));
      assertThat(reported(client.get(url).readResponse())).isEqualTo(answer);
      assertThat(client.get(url(one)).readResponse().status()).isEqualTo(200);
    }
  }

  private static String reported(RawResponse response) {
    return response.status() + response.text().replaceAll("req_[0-9A-Z]+", "id");
  }

  @Test
  void nothingButReadingIsPossibleThere() {
    String url = url(keep(BlobType.PNG, 10));
    try (RawClient client = gateway.connect()) {
      assertThat(client.post(url, "{}").readResponse().status()).isEqualTo(404);
    }
    try (RawClient client = gateway.connect()) {
      assertThat(client.get(url, "Content-Length: 3").send("abc").readResponse().status())
          .isEqualTo(400);
    }
  }

  @Test
  void aClientThatReadsNothingCostsAFewPieces() throws Exception {
    BlobName name = keep(BlobType.MP4, 64 * 1024 * 1024);
    try (RawClient client = RawClient.connectNarrow(gateway.port, 4096)) {
      client.get(url(name)).readUntil("\r\n\r\n");
      int before = -1;
      while (files.reads.get() > before) { // until the socket's own buffers are full
        before = files.reads.get();
        for (int i = 0; i < 200; i++) {
          gateway.awaitLoops();
        }
      }
      assertThat(files.reads.get()).isLessThan(64 * 1024 * 1024 / (32 * 1024) / 2);
      assertThat(downloads.open()).isOne();
      for (int mib = 1; mib <= 32 && files.reads.get() == before; mib++) {
        client.peekAtLeast(mib * 1024 * 1024);
        gateway.awaitLoops(); // which go on when they hear that the socket has room
      }
      assertThat(files.reads.get()).isGreaterThan(before);
    }
    RequestRecord record = gateway.awaitRecord();
    assertThat(record.outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
    assertThat(record.status()).isEqualTo(200);
    assertThat(record.http().responseBytes()).isPositive();
  }

  @Test
  void downloadsAboveTheLimitGetARetryAfter() throws Exception {
    BlobName name = keep(BlobType.MP4, 64 * 1024 * 1024);
    RawClient[] slow = new RawClient[OPEN_MAX];
    for (int i = 0; i < OPEN_MAX; i++) {
      slow[i] = RawClient.connectNarrow(gateway.port, 4096);
      slow[i].get(url(name)).readUntil("\r\n\r\n");
    }
    try (RawClient client = gateway.connect()) {
      RawResponse refused = client.get(url(name)).readResponse();
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("retry-after")).matches("[1-5]");
      assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
      for (RawClient one : slow) {
        one.close();
      }
      for (int i = 0; i < OPEN_MAX; i++) {
        gateway.awaitRecord();
      }
      client.send("HEAD " + url(name) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.readHeadResponse().status()).isEqualTo(200);
    }
  }

  @Test
  void anHttp10ClientGetsTheSame() throws Exception {
    BlobName name = keep(BlobType.PNG, 100_000);
    try (RawClient client = gateway.connect()) {
      client.send("GET " + url(name) + " HTTP/1.0\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n"))
          .contains("content-length: 100000\r\n")
          .doesNotContain("chunked");
      assertThat(client.readToEnd()).isEqualTo(files.kept.get(name));
    }
  }

  @Test
  void aNodeThatStopsCutsWhatIsUnderway() throws Exception {
    BlobName name = keep(BlobType.MP4, 64 * 1024 * 1024);
    try (RawClient client = RawClient.connectNarrow(gateway.port, 4096)) {
      client.get(url(name)).readUntil("\r\n\r\n");
      gateway.gateway.cutShort();
      assertThat(client.readToEnd().length).isLessThan(64 * 1024 * 1024);
    }
    assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
  }

  @Test
  void aFileThatBreaksOffIsNeverTakenForWhole() throws Exception {
    BlobName name = keep(BlobType.PNG, 200_000);
    files.unreadableFrom = 100_000;
    try (RawClient client = gateway.connect()) {
      client.get(url(name)).readUntil("\r\n\r\n");
      assertThat(client.readToEnd().length).isBetween(90_000, 199_999);
    }
    assertThat(gateway.awaitRecord().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
    files.unreadableFrom = 0;
    try (RawClient client = gateway.connect()) {
      client.get(url(name)).readUntil("\r\n\r\n");
      assertThat(client.readToEnd()).isEmpty();
    }
  }
}
