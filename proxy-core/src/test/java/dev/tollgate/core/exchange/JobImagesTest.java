package dev.tollgate.core.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.testkit.InMemoryBlobs;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Images in a job's submission: their storage and its owner. */
final class JobImagesTest {
  private final InMemoryBlobs blobs = new InMemoryBlobs(() -> Scenario.NOW, Duration.ofHours(1));

  /** A store that delays its answers if a test wants it. */
  private final class Held implements BlobStore {
    private final List<Runnable> answers = new ArrayList<>();
    private boolean holds;
    private Duration kept = Duration.ZERO;

    @Override
    public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
      kept = blob.retention();
      blob.bytes().retain();
      blobs.store(
          blob,
          loop,
          stored -> {
            Runnable answer =
                () -> {
                  blob.bytes().release();
                  whenDone.accept(stored);
                };
            if (holds) {
              answers.add(answer);
            } else {
              answer.run();
            }
          });
    }

    @Override
    public SignedUrl url(BlobName name) {
      return blobs.url(name);
    }

    @Override
    public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
      blobs.delete(name, loop, whenDone);
    }

    void answer() {
      List<Runnable> now = List.copyOf(answers);
      answers.clear();
      now.forEach(Runnable::run);
    }
  }

  private final Held held = new Held();

  private Scenario scenario(long budgetBytes) {
    return Scenario.storing(
        TestCatalog.of(Modality.VIDEO, TestCatalog.all("alpha")), held, budgetBytes);
  }

  private Scenario scenario() {
    return scenario(1 << 20);
  }

  private static RecordedClient submit(Scenario scenario, String images) {
    String body = "{\"model\":\"acme/one\",\"prompt\":\"p\",\"input_images\":[" + images + "]}";
    RecordedClient client = scenario.submit(Endpoint.VIDEO_GENERATIONS, body, "k");
    scenario.run();
    return client;
  }

  private static byte[] image(int seed, int length, int... beginning) {
    byte[] image = new byte[length];
    new Random(seed).nextBytes(image);
    for (int i = 0; i < beginning.length; i++) {
      image[i] = (byte) beginning[i];
    }
    return image;
  }

  private static byte[] png(int length) {
    return image(length, length, 0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a);
  }

  private static byte[] jpeg(int length) {
    return image(length, length, 0xff, 0xd8, 0xff);
  }

  private static String base64(byte[] image) {
    return Base64.getEncoder().encodeToString(image);
  }

  private static String quoted(String text) {
    return '"' + text + '"';
  }

  private byte[] kept(BlobName name) {
    return blobs.fetch(blobs.url(name).url()).orElseThrow();
  }

  @Test
  void theyAreKeptAsTheyAreAndTheJobNamesThemInTheirOrder() {
    try (var scenario = scenario()) {
      scenario.names().answer("good.example", "93.184.216.34");
      byte[] first = png(70_001);
      byte[] second = jpeg(150_000);
      byte[] third = jpeg(99_999);
      String escaped = base64(second).replace("/", "\\/").replace("A", "\\u0041");
      RecordedClient client =
          submit(
              scenario,
              String.join(
                  ",",
                  quoted("data:image\\/png;base64\\u002c" + base64(first)),
                  quoted("https://good.example/a.png"),
                  quoted(escaped),
                  quoted("DATA:image/jpg;base64," + base64(third).replace("=", ""))));
      assertThat(client.whole().status()).isEqualTo(202);
      JobSpec spec = scenario.jobs().specs().getFirst();
      assertThat(spec.images())
          .extracting(BlobName::type)
          .containsExactly(BlobType.PNG, BlobType.JPEG, BlobType.JPEG);
      assertThat(spec.images()).map(this::kept).containsExactly(first, second, third);
      assertThat(blobs.kept()).hasSize(3);
      assertThat(held.kept).isEqualTo(Duration.ofDays(1));
      assertThat(spec.params().toString())
          .contains("\"https://good.example/a.png\"", "characters in base64)")
          .doesNotContain(spec.images().getFirst().toString());
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  private Scenario of(Provider provider) {
    return Scenario.storing(TestCatalog.of(Modality.VIDEO, provider), held, 1 << 20);
  }

  private static String http(byte[] image) {
    return "HTTP/1.1 200 OK\r\nContent-Length: "
        + image.length
        + "\r\n\r\n"
        + new String(image, ISO_8859_1);
  }

  @Test
  void aPrivateProviderGetsThoseNamedByUrlFromTheStorage() {
    byte[] sent = png(501);
    List<byte[]> fetched = List.of(jpeg(502), png(503), jpeg(504));
    try (var scenario = of(TestCatalog.provider("alpha"))) {
      scenario.names().answer("alpha.example", "10.0.0.9");
      scenario.names().answer("good.example", "93.184.216.34");
      String url = quoted("https://good.example/a");
      RecordedClient client =
          submit(
              scenario,
              url
                  + ","
                  + quoted(base64(sent))
                  + "],\"end_image_url\":"
                  + url
                  + ",\"image_url\":"
                  + url
                  + ",\"more\":[");
      // In the order in which the URLs are listed: both pictures, then the list.
      scenario.link(0).send(http(fetched.get(1)).getBytes(ISO_8859_1));
      scenario.link(1).send(http(fetched.get(2)).getBytes(ISO_8859_1));
      scenario.link(2).send(http(fetched.getFirst()).getBytes(ISO_8859_1));
      scenario.run();
      assertThat(client.whole().status()).isEqualTo(202);
      JobSpec spec = scenario.jobs().specs().getFirst();
      assertThat(spec.images())
          .map(this::kept)
          .containsExactly(fetched.getFirst(), sent, fetched.get(1), fetched.get(2));
      assertThat(spec.params().toString())
          .contains(
              "\"image_url\":\"(an image of 503 bytes, fetched by its URL)\"",
              "\"end_image_url\":\"(an image of 504 bytes, fetched by its URL)\"",
              "\"input_images\":[\"(an image of 502 bytes, fetched by its URL)\",\"(an image of")
          .doesNotContain("good.example");
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void whatCannotBeFetchedMakesNoJob() {
    try (var scenario = of(TestCatalog.with(TestCatalog.provider("alpha"), RemoteMedia.FETCH))) {
      scenario.names().answer("good.example", "93.184.216.34");
      RecordedClient client = submit(scenario, quoted("https://good.example/a"));
      scenario.link(0).send("HTTP/1.1 302 Found\r\nLocation: https://169.254.169.254/\r\n\r\n");
      scenario.run();
      assertThat(client.fault())
          .returns(ErrorCode.SSRF_BLOCKED, Fault::code)
          .returns("input_images[0]", Fault::param);
      String unknown = "],\"input_reference\":{\"file\":\"https://good.example/b\"},\"more\":[";
      assertThat(submit(scenario, unknown).fault())
          .returns(ErrorCode.VALIDATION_FAILED, Fault::code)
          .returns("input_reference.file", Fault::param);
      assertThat(scenario.jobs().specs()).isEmpty();
      assertThat(blobs.kept()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PASS", "JUDGE"})
  void aUrlInAnUnknownFieldIsJudgedToo(RemoteMedia rule) {
    try (var scenario = of(TestCatalog.with(TestCatalog.provider("alpha"), rule))) {
      for (String name : List.of("input_reference", "image", "video_uri")) {
        String member = "],\"" + name + "\":\"https://169.254.169.254/\",\"more\":[";
        assertThat(submit(scenario, member).fault())
            .returns(ErrorCode.SSRF_BLOCKED, Fault::code)
            .returns(name, Fault::param);
      }
      assertThat(submit(scenario, "],\"image\":\"//169.254.169.254/\",\"more\":[").fault())
          .returns(ErrorCode.VALIDATION_FAILED, Fault::code)
          .returns("image", Fault::param);
      assertThat(scenario.jobs().specs()).isEmpty();
    }
  }

  @Test
  void aProviderThatRefusesUrlsGetsNone() {
    try (var scenario = of(TestCatalog.with(TestCatalog.provider("alpha"), RemoteMedia.REFUSE))) {
      assertThat(submit(scenario, quoted("https://good.example/a")).fault())
          .returns(ErrorCode.VALIDATION_FAILED, Fault::code)
          .returns("input_images[0]", Fault::param);
      assertThat(submit(scenario, quoted(base64(png(505)))).whole().status()).isEqualTo(202);
    }
  }

  @Test
  void aReplayKeepsNothingASecondTime() {
    try (var scenario = scenario()) {
      String image = quoted(base64(png(500)));
      String first = submit(scenario, image).whole().body();
      assertThat(submit(scenario, image).whole().body()).isEqualTo(first);
      assertThat(submit(scenario, quoted(base64(png(501)))).fault().code())
          .isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT);
      assertThat(blobs.kept()).hasSize(1);
    }
  }

  static Stream<JobRepository.SubmitResult> noJobs() {
    var none = MicroUsd.ZERO;
    Payer payer = Payer.of(TestCatalog.key(), RequestId.at(0));
    var shortage = new Shortage(payer.scope(ScopeKind.ORG), none, none, none, false);
    return Stream.of(
        new JobRepository.SubmitResult.InsufficientBudget(List.of(shortage)),
        new JobRepository.SubmitResult.Conflict(),
        new JobRepository.SubmitResult.TooManyPending());
  }

  @ParameterizedTest
  @MethodSource("noJobs")
  void whereNoJobIsMadeTheyAreDeletedAgain(JobRepository.SubmitResult answer) {
    try (var scenario = scenario()) {
      scenario.jobs().next(answer);
      var _ = submit(scenario, quoted(base64(png(500)))).fault();
      assertThat(scenario.jobs().specs()).hasSize(1);
      assertThat(blobs.kept()).isEmpty();
    }
  }

  @Test
  void whoLosesTheRaceForAKeyDeletesItsOwnAlone() {
    try (var scenario = scenario()) {
      held.holds = true;
      String image = quoted(base64(png(500)));
      RecordedClient one = submit(scenario, image);
      RecordedClient other = submit(scenario, image);
      assertThat(blobs.kept()).hasSize(2);
      held.answer();
      scenario.run();
      assertThat(other.whole().body()).isEqualTo(one.whole().body());
      assertThat(blobs.kept().keySet())
          .containsExactlyElementsOf(scenario.jobs().specs().getFirst().images());
    }
  }

  @Test
  void ifTheJobMayExistTheImagesStay() {
    try (var scenario = scenario()) {
      scenario.jobs().next(new JobRepository.SubmitResult.Unavailable("its answer was lost"));
      assertThat(submit(scenario, quoted(base64(png(500)))).fault().code())
          .isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(blobs.kept()).hasSize(1);
    }
  }

  @Test
  void whoLeavesMeanwhileLeavesNothingBehind() {
    try (var scenario = scenario()) {
      held.holds = true;
      String images = quoted(base64(png(500))) + "," + quoted(base64(png(501)));
      RecordedClient client = submit(scenario, images);
      held.answer();
      scenario.run();
      assertThat(blobs.kept()).hasSize(2);
      client.disconnect(RequestService.DisconnectReason.ABORTED);
      scenario.run();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      held.answer();
      scenario.run();
      assertThat(blobs.kept()).isEmpty();
      assertThat(scenario.jobs().specs()).isEmpty();
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void whoLeavesWhileItIsSubmittedHasItsJobAndItsImages() {
    try (var scenario = scenario()) {
      scenario.jobs().holdAnswersAfter(1);
      RecordedClient client = submit(scenario, quoted(base64(png(500))));
      client.disconnect(RequestService.DisconnectReason.ABORTED);
      scenario.run();
      scenario.jobs().releaseAnswers();
      scenario.run();
      assertThat(blobs.kept()).hasSize(1);
    }
  }

  @Test
  void aStorageThatDoesNotTakeThemRefusesTheJob() {
    try (var scenario = scenario()) {
      blobs.fail(BlobFailure.FULL);
      assertThat(submit(scenario, quoted(base64(png(500)))).fault().code())
          .isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
      assertThat(scenario.jobs().specs()).isEmpty();
    }
  }

  @Test
  void aStorageThatDoesNotAnswerIsNotWaitedForForEver() {
    try (var scenario = scenario()) {
      held.holds = true;
      RecordedClient client = submit(scenario, quoted(base64(png(500))));
      scenario.passSeconds(16);
      assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      held.answer();
      scenario.run();
      assertThat(blobs.kept()).as("what came too late").isEmpty();
    }
  }

  @Test
  void theyCountInMemoryWhileTheyAreStoredAndHaveNoRoomWithoutThat() {
    byte[] image = png(40_000);
    try (var scenario = scenario()) {
      held.holds = true;
      RecordedClient client = submit(scenario, quoted(base64(image)));
      assertThat(scenario.inflight().held()).isGreaterThan(2 * 4 * 40_000 / 3);
      held.answer();
      scenario.run();
      assertThat(client.whole().status()).isEqualTo(202);
      assertThat(scenario.inflight().held()).isZero();
      held.holds = false;
    }
    try (var scenario = scenario(80_000)) {
      Fault fault = submit(scenario, quoted(base64(image))).fault();
      assertThat(fault.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.SHED);
      assertThat(scenario.jobs().specs()).isEmpty();
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bm8gaW1hZ2UsIGJ1dCB0ZXh0IG9mIHNvbWUgbGVuZ3Ro",
        "data:image/png;base64,bm8gaW1hZ2UsIGJ1dCB0ZXh0IG9mIHNvbWUgbGVuZ3Ro",
        "data:text/html;base64,iVBORw0KGgoAAAANSUhEUg==",
        "data:image/jpeg;base64,iVBORw0KGgoAAAANSUhEUg==",
        "iVBORw0KGgoAAAANSUhEUg!!",
        "20261129/9f86d081884c7d65/0123456789abcdefghjkmnpqrs.png",
        "http://good.example/a.png",
      })
  void whatIsNoImageIsRefusedAndNothingIsKept(String other) {
    try (var scenario = scenario()) {
      String images = quoted(base64(png(500))) + "," + quoted(other);
      assertThat(submit(scenario, images).fault())
          .returns(ErrorCode.VALIDATION_FAILED, Fault::code)
          .returns("input_images[1]", Fault::param);
      assertThat(blobs.kept()).isEmpty();
      assertThat(scenario.jobs().specs()).isEmpty();
    }
  }

  @Test
  void theyAreKeptOnlyOnceNothingElseSpeaksAgainstTheJob() {
    try (var scenario = scenario()) {
      scenario.names().answer("bad.example", "10.0.0.1");
      String images = quoted(base64(png(500))) + ",\"https://bad.example/a\"";
      held.holds = true; // storing waits, and is not refused
      assertThat(submit(scenario, images).fault().code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
      assertThat(blobs.kept()).isEmpty();
    }
  }
}
