package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.jobs.MediaProvider.CancelResult;
import dev.tollgate.server.jobs.MediaProvider.FileFetchResult;
import dev.tollgate.server.jobs.MediaProvider.Phase;
import dev.tollgate.server.jobs.MediaProvider.ProviderJobState;
import dev.tollgate.server.jobs.MediaProvider.SubmissionResult;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Provider over a connection, with the mock at its other end. */
class HttpMediaProviderTest {
  private static MockProvider mock;
  private static HttpMediaProvider provider;

  @TempDir private Path folder;
  private final InMemoryJobStore jobStore = new InMemoryJobStore();

  @BeforeAll
  static void start() throws Exception {
    mock = MockProvider.start(MockProfile.IMMEDIATE, 0);
    try (var patient =
        new HttpMediaProvider(
            HttpMediaProvider.MediaTimeouts.DEFAULT, HttpMediaProviderTest::url)) {
      // The first call loads classes, for which half a second is little on a busy machine.
      assertThat(patient.query(target("m"), "none")).isEqualTo(new ProviderJobState.Absent());
    }
    Duration within = Duration.ofMillis(500);
    provider =
        new HttpMediaProvider(
            new HttpMediaProvider.MediaTimeouts(within, within, within),
            HttpMediaProviderTest::url);
  }

  @AfterAll
  static void stop() {
    provider.close();
    mock.close();
  }

  private static SignedUrl url(BlobName name) {
    return new SignedUrl("https://kept.test/" + name + "?sig=1", Instant.MAX);
  }

  private static MediaTarget target(String model) {
    return target(model, mock.baseUrl());
  }

  private static MediaTarget target(String model, String base) {
    return new MediaTarget(
        URI.create(base),
        model,
        Optional.of(new Secret("key")),
        Map.of("x-one", "1"),
        PriceList.FREE,
        PriceList.FREE,
        Optional.empty(),
        false);
  }

  private ClaimedJob job(String params) throws Exception {
    jobStore.add(JobKind.VIDEO, params);
    return jobStore.claim(Duration.ofSeconds(1), 1).getFirst();
  }

  private ClaimedJob job() throws Exception {
    return job("{\"model\":\"ours\",\"prompt\":\"p\",\"resolution\":\"16x16\"}");
  }

  @Test
  void aJobIsSubmittedSeenAndFetched() throws Exception {
    ClaimedJob job = job();
    assertThat(provider.findSubmitted(target("m"), job)).isEqualTo(new ProviderJobState.Absent());
    SubmissionResult answer = provider.submit(target("m"), job);
    String id = ((SubmissionResult.Accepted) answer).providerJob();
    assertThat(provider.submit(target("m"), job)).isEqualTo(answer);
    ProviderJobState seen = provider.query(target("m"), id);
    assertThat(seen)
        .isEqualTo(provider.findSubmitted(target("m"), job))
        .isInstanceOf(ProviderJobState.Succeeded.class);
    assertThat(((ProviderJobState.Succeeded) seen).length()).contains(Duration.ofSeconds(5));
    try (Spool spool = Spool.open(SpoolTest.room(folder), 1 << 20)) {
      assertThat(provider.fetch(target("m"), id, 0, spool))
          .isEqualTo(new FileFetchResult.Whole("video/mp4"));
      var content = spool.content();
      assertThat(content.readableBytes()).isEqualTo((int) spool.bytes()).isPositive();
      assertThat(content.getInt(4)).isEqualTo(0x66747970);
      content.release();
      assertThat(provider.fetch(target("m"), id, 1, spool)).isEqualTo(new FileFetchResult.Absent());
    }
    assertThat(provider.cancel(target("m"), id)).isEqualTo(new CancelResult.Refused());
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void runningJobsAreSeenAndCanceled() throws Exception {
    ClaimedJob job = job();
    provider.submit(target("fault/job-endless"), job);
    ProviderJobState seen = provider.findSubmitted(target(""), job);
    assertThat(seen).isInstanceOf(ProviderJobState.InProgress.class);
    ProviderJobState.InProgress working = (ProviderJobState.InProgress) seen;
    assertThat(working.phase()).isEqualTo(Phase.RUNNING);
    assertThat(working.progress()).isEqualTo(new JobStore.Progress.Percent(99));
    assertThat(provider.cancel(target(""), working.providerJob()))
        .isEqualTo(new CancelResult.Done());
    assertThat(provider.query(target(""), working.providerJob()))
        .isEqualTo(new ProviderJobState.Aborted(working.providerJob()));
  }

  @Test
  void definiteRefusalsAreDistinguishedFromUnknownResults() throws Exception {
    assertThat(provider.submit(target("fault/job-refused"), job()))
        .isInstanceOf(SubmissionResult.Refused.class);
    assertThat(provider.submit(target("fault/job-busy"), job()))
        .isEqualTo(new SubmissionResult.NotTaken("status 503"));
    assertThat(provider.submit(target("fault/job-lost-answer"), job()))
        .isInstanceOf(SubmissionResult.Unknown.class);
    assertThat(provider.submit(target("fault/job-silent"), job()))
        .isInstanceOf(SubmissionResult.Unknown.class);
    ClaimedJob odd = job();
    provider.submit(target("fault/job-unknown-status"), odd);
    assertThat(provider.findSubmitted(target(""), odd))
        .isInstanceOf(ProviderJobState.Unknown.class);
    String closed = "http://127.0.0.1:1/v1";
    assertThat(provider.submit(target("m", closed), job()))
        .isInstanceOf(SubmissionResult.NotTaken.class);
    assertThat(provider.query(target("m", closed), "x"))
        .isInstanceOf(ProviderJobState.Unknown.class);
    assertThat(provider.cancel(target("m", closed), "x")).isInstanceOf(CancelResult.Unknown.class);
    assertThat(provider.cancel(target("m"), "mj_none")).isEqualTo(new CancelResult.Absent());
    assertThat(provider.query(target("m"), "../../models?x=/ y"))
        .isEqualTo(new ProviderJobState.Absent());
  }

  @Test
  void filesHaveABoundInSizeAndTime() throws Exception {
    assertThat(fetched("fault/file-large:2", 1 << 20)).isEqualTo(new FileFetchResult.TooLarge());
    assertThat(fetched("fault/file-slow:500", 1 << 20)).isInstanceOf(FileFetchResult.Unknown.class);
    assertThat(fetched("fault/file-cut", 1 << 20)).isInstanceOf(FileFetchResult.Unknown.class);
    assertThat(fetched("fault/file-late", 1 << 20)).isEqualTo(new FileFetchResult.Absent());
    assertThat(fetched("fault/file-html", 1 << 20))
        .isEqualTo(new FileFetchResult.Whole("text/html"));
    assertThat(fetched("m", 100)).isEqualTo(new FileFetchResult.TooLarge());
  }

  @Test
  void whatFindsNoRoomHereIsFetchedAgainLater() throws Exception {
    assertThat(fetched("m", 1 << 20, new SpoolQuota(folder, 16, 0)))
        .isInstanceOfSatisfying(
            FileFetchResult.Unknown.class, no -> assertThat(no.reason()).contains("no room"));
  }

  private FileFetchResult fetched(String model, long bytesMax) throws Exception {
    return fetched(model, bytesMax, SpoolTest.room(folder));
  }

  private FileFetchResult fetched(String model, long bytesMax, SpoolQuota room) throws Exception {
    ClaimedJob job = job("{\"prompt\":\"p\",\"resolution\":\"16x16\",\"duration_seconds\":99}");
    SubmissionResult answer = provider.submit(target(model), job);
    try (Spool spool = Spool.open(room, bytesMax)) {
      String id = ((SubmissionResult.Accepted) answer).providerJob();
      return provider.fetch(target(model), id, 0, spool);
    }
  }

  @Test
  void aProviderIsSentWhatConcernsIt() throws Exception {
    ClaimedJob job =
        job(
            "{\"model\":\"ours\",\"prompt\":\"p\\u00e9\",\"webhook_url\":\"https://x.test\","
                + "\"metadata\":{\"a\":\"b\"},\"max_cost_micro\":5,\"routing\":\"cost\",\"seed\":1.50,"
                + "\"image_url\":\"https://x.test/a.png\",\"end_image_url\":\"https://x.test/b.png\","
                + "\"input_images\":[\"(an image of 9 characters in base64)\","
                + "\"HTTPS://x.test/c.png\"]}");
    MediaTarget target =
        new MediaTarget(
            URI.create("http://x.test"),
            "theirs",
            Optional.empty(),
            Map.of(),
            PriceList.FREE,
            PriceList.FREE,
            Optional.of(Duration.ofMillis(2_500)),
            false);
    assertThat(new String(SubmissionBody.of(target, job, HttpMediaProviderTest::url), UTF_8))
        .isEqualTo(
            "{\"kind\":\"video\",\"model\":\"theirs\",\"prompt\":\"p\\u00e9\",\"seed\":1.50,"
                + "\"image_url\":\"https://x.test/a.png\","
                + "\"end_image_url\":\"https://x.test/b.png\","
                + "\"input_images\":[\"HTTPS://x.test/c.png\"],\"duration_seconds\":2.5}");
  }

  @Test
  void optionsAtAnotherPriceNeedARight() throws Exception {
    ClaimedJob job =
        job("{\"prompt\":\"p\",\"service_tier\":\"priority\",\"Models\":[\"a\"],\"seed\":1}");
    MediaTarget usual = target("m");
    assertThat(new String(SubmissionBody.of(usual, job, HttpMediaProviderTest::url), UTF_8))
        .isEqualTo("{\"kind\":\"video\",\"model\":\"m\",\"prompt\":\"p\",\"seed\":1}");
    var free =
        new MediaTarget(
            usual.base(),
            "m",
            usual.key(),
            usual.headers(),
            usual.prices(),
            usual.operatorPrices(),
            usual.usualLength(),
            true);
    assertThat(new String(SubmissionBody.of(free, job, HttpMediaProviderTest::url), UTF_8))
        .contains("\"service_tier\":\"priority\",\"Models\":[\"a\"]");
  }

  @Test
  void theImagesOfARequestArriveByTheirAddress() throws Exception {
    ClaimedJob job =
        job(
            "{\"prompt\":\"p\",\"image_url\":\"https://x.test/first.png\",\"end_image_url\":null,"
                + "\"input_images\":[\"https://x.test/like.png\"]}");
    assertThat(provider.submit(target("m"), job)).isInstanceOf(SubmissionResult.Accepted.class);
    try (RawClient client = RawClient.connect(mock.port())) {
      assertThat(client.get("/_mock/jobs").readResponse().text())
          .contains("\"images\":[\"https://x.test/first.png\",\"https://x.test/like.png\"]");
    }
  }

  @Test
  void imagesThatCameAlongArriveByTheirAddressWhereTheyStood() throws Exception {
    ClaimedJob one =
        job(
            "{\"prompt\":\"p\",\"input_images\":[\"(an image of 9 characters in base64)\","
                + "\"https://x.test/c.png\",\"(an image of 8 characters in base64)\"],"
                + "\"end_image_url\":\"(an image of 7 bytes, fetched by its URL)\"}");
    List<BlobName> names =
        List.of(
            BlobName.parse("20261129/0123456789abcdef/0123456789abcdefghjkmnpqrs.png")
                .orElseThrow(),
            BlobName.parse("20261129/0123456789abcdef/1123456789abcdefghjkmnpqrs.jpg")
                .orElseThrow(),
            BlobName.parse("20261129/0123456789abcdef/2123456789abcdefghjkmnpqrs.gif")
                .orElseThrow());
    assertThat(new String(SubmissionBody.of(target("m"), one, HttpMediaProviderTest::url), UTF_8))
        .as("once the images are gone")
        .doesNotContain("(an image");
    ClaimedJob job =
        new ClaimedJob(
            one.job(),
            one.worker(),
            one.providerJob(),
            one.intent(),
            one.inconclusiveAttempts(),
            one.doubt(),
            one.doubts(),
            one.age(),
            names,
            one.demand());
    assertThat(provider.submit(target("m"), job)).isInstanceOf(SubmissionResult.Accepted.class);
    try (RawClient client = RawClient.connect(mock.port())) {
      assertThat(client.get("/_mock/jobs").readResponse().text())
          .contains(
              "\"images\":[\"%s\",\"%s\",\"https://x.test/c.png\",\"%s\"]"
                  .formatted(
                      url(names.getLast()).url(),
                      url(names.getFirst()).url(),
                      url(names.get(1)).url()));
      assertThat(new String(SubmissionBody.of(target("m"), job, HttpMediaProviderTest::url), UTF_8))
          .contains("\"end_image_url\":\"" + url(names.getLast()).url() + "\"");
    }
  }

  @Test
  void providerTextIsShortAndOneLine() {
    String lengthy = "x".repeat(600);
    String answer = "{\"error\":{\"code\":\"a\\nb\\u0000c\",\"message\":\"" + lengthy + "\"}}";
    ProviderJson.ProviderError why = ProviderJson.readError(answer.getBytes(UTF_8));
    assertThat(why.code()).isEqualTo("a b c");
    assertThat(why.message()).hasSize(500);
    assertThat(ProviderJson.readError("<html>".getBytes(UTF_8)).code()).isEmpty();
  }
}
