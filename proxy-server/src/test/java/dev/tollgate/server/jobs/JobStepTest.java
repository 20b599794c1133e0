package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.TokenPrices;
import dev.tollgate.server.jobs.InMemoryJobStore.Row;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs from submission to end under virtual time, with the mock provider's jobs behind them. */
class JobStepTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final long FILE_BYTES_MAX = 1 << 20;
  private static final PriceList PRICES =
      new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 0, List.of(), 100_000_000_000L, 20_000_000L);

  @TempDir private Path folder;
  private final InMemoryJobStore jobStore = new InMemoryJobStore();
  private final DirectProvider provider = new DirectProvider(jobStore);
  private final StubBlobs blobs = new StubBlobs();
  private final CountingJobObserver counted = new CountingJobObserver();
  private final FairScheduler turns = new FairScheduler(4, () -> jobStore.now.toNanos());
  private boolean isConfigured = true;

  private JobStep step(MediaProvider through, JobStore store) {
    EventLoop loop = new EmbeddedChannel().eventLoop();
    var storage = new ArtifactStorage(blobs, () -> loop, Duration.ofSeconds(1));
    var rules =
        new ArtifactCopy.CopyOptions(SpoolTest.room(folder), FILE_BYTES_MAX, Duration.ofDays(7));
    return new JobStep(
        store,
        through,
        _ -> isConfigured ? Optional.of(target()) : Optional.empty(),
        new ArtifactCopy(through, storage, rules, counted),
        turns,
        counted);
  }

  private static MediaTarget target() {
    return new MediaTarget(
        URI.create("http://mock.test/v1"),
        "asked",
        Optional.empty(),
        Map.of(),
        PRICES,
        PRICES,
        Optional.of(Duration.ofSeconds(2)),
        false);
  }

  private Row job(JobKind kind, String behaviour, String more) {
    return jobStore.add(
        kind,
        "{\"model\":\"test/v\",\"prompt\":\"p\",\"resolution\":\"32x32\",\"x_mock\":\""
            + behaviour
            + "\""
            + more
            + "}");
  }

  private Row video(String behaviour) {
    return job(JobKind.VIDEO, behaviour, ",\"duration_seconds\":1.5");
  }

  /** Lets time pass and runs due jobs until all have ended. */
  private void runToTheEnd() throws Exception {
    runToTheEnd(provider);
  }

  private void runToTheEnd(MediaProvider through) throws Exception {
    JobStep step = step(through, jobStore);
    for (int steps = 0; jobStore.nextDue().isPresent(); steps++) {
      assertThat(steps).as("steps").isLessThan(10_000);
      advance();
      List<ClaimedJob> jobs = jobStore.claim(LEASE, turns.nextClaim(4));
      for (ClaimedJob job : jobs) {
        step.run(job);
      }
      if (jobs.isEmpty()) {
        jobStore.now = jobStore.now.plusMillis(200);
      }
    }
  }

  private void advance() {
    Duration next = jobStore.nextDue().orElseThrow();
    jobStore.now = next.compareTo(jobStore.now) > 0 ? next : jobStore.now;
  }

  @Test
  void aVideoIsMadeCopiedAndChargedByItsLength() throws Exception {
    Row row = video("m?takes=8s");
    runToTheEnd();
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(row.percent).isBetween(1, 99);
    assertThat(row.cost.value()).isEqualTo(150_000);
    assertThat(row.priced)
        .isEqualTo(
            "[{\"sheet\":\"%s\",\"quantities\":[{\"video_us\":1500000}]}]"
                .formatted(PRICES.sheet().id()));
    assertThat(row.files)
        .singleElement()
        .satisfies(
            file -> {
              assertThat(file.frame()).contains(new Frame(32, 32));
              assertThat(file.durationSeconds()).isEqualTo(1.5);
              byte[] bytes = blobs.kept.get(file.blob().toString());
              assertThat(bytes).hasSize((int) file.sizeBytes());
              assertThat(new String(bytes, 4, 4, US_ASCII)).isEqualTo("ftyp");
            });
    assertThat(counted.calls).containsExactly("accepted", "copied", "succeeded");
    assertThat(jobStore.now).isLessThan(Duration.ofDays(1).plusSeconds(11));
  }

  @Test
  void musicIsChargedByItsLengthToo() throws Exception {
    Row row = job(JobKind.MUSIC, "m", ",\"format\":\"flac\",\"duration_seconds\":3");
    Row other = job(JobKind.MUSIC, "m", "");
    runToTheEnd();
    assertThat(row.cost.value()).isEqualTo(60);
    assertThat(row.priced).endsWith("\"quantities\":[{\"music_us\":3000000}]}]");
    assertThat(row.files.getFirst().contentType()).isEqualTo("audio/flac");
    assertThat(row.files.getFirst().frame()).isEmpty();
    assertThat(other.cost.value()).as("the model's usual length").isEqualTo(40);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          fault/job-refused        | provider_error: content_policy
          fault/job-fails-queued   | provider_error: content_policy
          fault/job-fails-running  | provider_error: generation_failed
          fault/no-such            | provider_error: model_not_found
          fault/job-forgotten      | provider_error: the provider does not know it any more
          fault/file-none          | provider_error: the provider returned no files
          fault/file-html          | provider_error: a file is no video
          fault/file-large:2       | provider_error: a file is larger than 1048576 bytes
          fault/file-late:99       | provider_error: a file that the provider made is not there
          """)
  void whatIsCertainToFailFailsAndCostsNothing(String behaviour, String error) throws Exception {
    Row row = video(behaviour);
    runToTheEnd();
    assertThat(row.status).isEqualTo("failed");
    assertThat(row.error).startsWith(error);
    assertThat(row.cost.value()).isZero();
    assertThat(row.ends).isEqualTo(1);
    assertThat(blobs.kept).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "fault/job-busy:3, 150000",
    "fault/job-lost-answer, 150000",
    "fault/job-silent, 150000",
    "fault/job-polls-fail:5, 150000",
    "fault/file-late:3, 150000",
    "fault/job-length:7, 700000"
  })
  void whatIsNotKnownIsAskedAgain(String behaviour, long cost) throws Exception {
    Row row = video(behaviour);
    runToTheEnd();
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(row.cost.value()).isEqualTo(cost);
    assertThat(row.error).isEmpty();
    assertThat(submissions(row)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"fault/job-endless", "fault/job-unknown-status", "fault/file-cut"})
  void whatIsNeverKnownExpires(String behaviour) throws Exception {
    Row row = video(behaviour);
    runToTheEnd();
    assertThat(row.status).isEqualTo("expired");
    assertThat(row.cost.value()).isZero();
    assertThat(jobStore.now).isEqualTo(Duration.ofDays(1).plus(InMemoryJobStore.TTL));
    assertThat(counted.calls).endsWith("expired");
  }

  @Test
  void theProviderIsAskedToGiveUpWhatExpired() throws Exception {
    Row row = video("fault/job-endless");
    runToTheEnd();
    assertThat(row.status).isEqualTo("expired");
    assertThat(provider.jobs.json(0)).contains("\"status\":\"cancelled\"");
  }

  @Test
  void aJobIsCanceledWhereTheProviderGivesItUp() throws Exception {
    Row row = video("m?takes=100s");
    oneStep();
    jobStore.cancel(row);
    runToTheEnd();
    assertThat(row.status).isEqualTo("canceled");
    assertThat(provider.jobs.json(0)).contains("\"status\":\"cancelled\"");
  }

  @Test
  void aJobContinuesIfTheProviderDoesNotCancelIt() throws Exception {
    Row row = video("fault/job-no-cancel?takes=100s");
    oneStep();
    jobStore.cancel(row);
    runToTheEnd();
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(row.cost.value()).isEqualTo(150_000);
  }

  @Test
  void aJobWhoseAnswerWasLostIsCanceledByItsKey() throws Exception {
    Row row = video("fault/job-lost-answer?takes=100s");
    oneStep();
    assertThat(row.providerJob).isNull();
    jobStore.cancel(row);
    runToTheEnd();
    assertThat(row.status).isEqualTo("canceled");
    assertThat(provider.jobs.json(0)).contains("\"status\":\"cancelled\"");
  }

  @Test
  void aJobWithoutATargetFailsUnlessAProviderMayHaveIt() throws Exception {
    Row begun = video("m?takes=100s");
    oneStep();
    isConfigured = false;
    Row fresh = video("m");
    runToTheEnd();
    assertThat(fresh.error).startsWith("no_provider_available");
    assertThat(begun.status).isEqualTo("expired");
  }

  @Test
  void aNodeThatDoesNotServeAModelYetLeavesItsJobsToOthers() throws Exception {
    isConfigured = false;
    Row fresh = video("m");
    while (jobStore.now.compareTo(Duration.ofDays(1).plusMinutes(9)) < 0) {
      advance();
      oneStep();
    }
    assertThat(fresh.ends).isZero();
    isConfigured = true;
    runToTheEnd();
    assertThat(fresh.status).isEqualTo("succeeded");
  }

  @Test
  void aStorageThatIsFullForAWhileCostsNoJob() throws Exception {
    blobs.failures = 4;
    Row row = video("m");
    runToTheEnd();
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(counted.calls).contains("not copied", "nothing");
    assertThat(blobs.kept).hasSize(1);
  }

  @Test
  void aStorageThatNeverTakesAFileFailsItsJobAfterAWhile() throws Exception {
    blobs.failures = Integer.MAX_VALUE;
    Row row = video("m");
    runToTheEnd();
    assertThat(row.status).isEqualTo("failed");
    assertThat(row.error).startsWith("service_unavailable: ");
    assertThat(row.cost.value()).isZero();
    assertThat(counted.calls).filteredOn("not copied"::equals).hasSize(12);
    assertThat(jobStore.now)
        .isBetween(Duration.ofDays(1).plusMinutes(10), Duration.ofDays(1).plusMinutes(30));
  }

  @Test
  void aWorkerThatLostItsJobLeavesNoFile() throws Exception {
    Row row = video("m");
    oneStep();
    jobStore.now = jobStore.now.plusSeconds(20);
    List<ClaimedJob> jobs = jobStore.claim(LEASE, 1);
    jobStore.now = jobStore.now.plus(LEASE);
    List<ClaimedJob> again = jobStore.claim(LEASE, 1);
    step(provider, jobStore).run(jobs.getFirst());
    assertThat(row.ends).isZero();
    assertThat(blobs.kept).isEmpty();
    step(provider, jobStore).run(again.getFirst());
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(blobs.kept).hasSize(1);
  }

  /** A worker dies at each call, before or after its effect; another continues after the lease. */
  @Test
  void workersThatDieAnywhereNeitherLoseAJobNorSubmitItTwice() throws Exception {
    Random random = new Random(7);
    List<String> behaviours =
        List.of("m?takes=3s", "fault/job-lost-answer", "fault/job-fails-running", "m?takes=0ms");
    for (int n = 0; n < 60; n++) {
      video(behaviours.get(n % behaviours.size()));
    }
    int deaths = 0;
    for (int round = 0; jobStore.nextDue().isPresent(); round++) {
      assertThat(round).isLessThan(20_000);
      advance();
      JobStep step =
          step(
              FailingPorts.wrap(MediaProvider.class, provider, random),
              FailingPorts.wrap(JobStore.class, jobStore, random));
      for (ClaimedJob job : jobStore.claim(LEASE, 4)) {
        try {
          step.run(job);
        } catch (FailingPorts.Death e) {
          deaths++;
        }
      }
    }
    assertThat(deaths).isGreaterThan(30);
    assertThat(jobStore.rows.values())
        .allSatisfy(
            row -> {
              assertThat(row.ends).isEqualTo(1);
              assertThat(row.status).isIn("succeeded", "failed");
              assertThat(submissions(row)).isEqualTo(1);
            });
  }

  private void oneStep() throws Exception {
    for (ClaimedJob job : jobStore.claim(LEASE, 9)) {
      step(provider, jobStore).run(job);
    }
  }

  private int submissions(Row row) {
    String all = provider.jobs.json(0);
    int at = all.indexOf("\"key\":\"" + row.id + "\"");
    return Integer.parseInt(
        all.substring(at).replaceFirst("(?s).*?\"submissions\":(\\d+).*", "$1"));
  }
}
