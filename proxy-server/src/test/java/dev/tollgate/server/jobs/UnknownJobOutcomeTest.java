package dev.tollgate.server.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.server.jobs.InMemoryJobStore.Row;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unknown states of jobs are distinguished from doubts, under virtual time. */
class UnknownJobOutcomeTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration BEGIN = Duration.ofDays(1);

  @TempDir private Path folder;
  private final InMemoryJobStore jobStore = new InMemoryJobStore();
  private final StubBlobs blobs = new StubBlobs();
  private final CountingJobObserver counted = new CountingJobObserver();
  private final FairScheduler turns = new FairScheduler(4, () -> jobStore.now.toNanos());

  /** Jobs of the mock behind a provider that forgets some at times. */
  private class Forgetful extends DirectProvider {
    Duration absentFrom = Duration.ZERO;
    Duration absentUntil = Duration.ZERO;
    Duration awayUntil = Duration.ZERO;

    Forgetful() {
      super(jobStore);
    }

    @Override
    public ProviderJobState query(MediaTarget target, String providerJob)
        throws InterruptedException {
      if (jobStore.now.compareTo(awayUntil) < 0) {
        return new ProviderJobState.Unknown("status 503");
      }
      boolean isAbsent =
          jobStore.now.compareTo(absentFrom) >= 0 && jobStore.now.compareTo(absentUntil) < 0;
      return isAbsent ? new ProviderJobState.Absent() : super.query(target, providerJob);
    }
  }

  /** Provider whose first submission stays in flight after its timeout. */
  private class Slow extends DirectProvider {
    private final Duration arrival;
    private @Nullable Runnable onItsWay;
    private boolean isSent;

    Slow(Duration arrival) {
      super(jobStore);
      this.arrival = arrival;
    }

    @Override
    public SubmissionResult submit(MediaTarget target, ClaimedJob job) {
      if (isSent) {
        return super.submit(target, job);
      }
      isSent = true;
      onItsWay = () -> super.submit(target, job);
      return new SubmissionResult.Unknown("no answer within PT10S");
    }

    @Override
    public ProviderJobState findSubmitted(MediaTarget target, ClaimedJob job) {
      arrive();
      return super.findSubmitted(target, job);
    }

    @Override
    public ProviderJobState query(MediaTarget target, String providerJob)
        throws InterruptedException {
      arrive();
      return super.query(target, providerJob);
    }

    private void arrive() {
      if (onItsWay != null && jobStore.now.compareTo(arrival) >= 0) {
        onItsWay.run();
        onItsWay = null;
      }
    }
  }

  private Row video(String behaviour) {
    return jobStore.add(
        JobKind.VIDEO,
        "{\"prompt\":\"p\",\"resolution\":\"16x16\",\"duration_seconds\":1,\"x_mock\":\""
            + behaviour
            + "\"}");
  }

  private JobStep step(MediaProvider through) {
    EventLoop loop = new EmbeddedChannel().eventLoop();
    var storage = new ArtifactStorage(blobs, () -> loop, Duration.ofSeconds(1));
    var rules = new ArtifactCopy.CopyOptions(SpoolTest.room(folder), 1 << 20, Duration.ofDays(7));
    var target =
        new MediaTarget(
            URI.create("http://mock.test/v1"),
            "asked",
            Optional.empty(),
            Map.of(),
            PriceList.FREE,
            PriceList.FREE,
            Optional.empty(),
            false);
    return new JobStep(
        jobStore,
        through,
        _ -> Optional.of(target),
        new ArtifactCopy(through, storage, rules, counted),
        turns,
        counted);
  }

  private void runToTheEnd(MediaProvider through) throws Exception {
    while (jobStore.nextDue().isPresent()) {
      oneStep(through);
    }
  }

  private void oneStep(MediaProvider through) throws Exception {
    Duration next = jobStore.nextDue().orElseThrow();
    jobStore.now = next.compareTo(jobStore.now) > 0 ? next : jobStore.now;
    List<ClaimedJob> jobs = jobStore.claim(LEASE, turns.nextClaim(4));
    for (ClaimedJob job : jobs) {
      step(through).run(job);
    }
    if (jobs.isEmpty()) {
      jobStore.now = jobStore.now.plusMillis(200);
    }
  }

  @Test
  void aQueuedJobCountsAsKnown() throws Exception {
    Forgetful provider = new Forgetful();
    Row row = video("m?takes=1000s"); // queued for the first 100 of them
    provider.absentFrom = BEGIN.plusSeconds(80);
    provider.absentUntil = BEGIN.plusSeconds(89);
    runToTheEnd(provider);
    assertThat(row.status).as(row.error).isEqualTo("succeeded");
  }

  @Test
  void aProviderThatWasAwayMayForgetOnceLikeAnother() throws Exception {
    Forgetful provider = new Forgetful();
    Row row = video("m?takes=10s");
    provider.awayUntil = BEGIN.plusMinutes(10);
    provider.absentFrom = provider.awayUntil;
    provider.absentUntil = provider.awayUntil.plusSeconds(31);
    runToTheEnd(provider);
    assertThat(row.status).as(row.error).isEqualTo("succeeded");
  }

  @Test
  void aSubmissionInFlightIsNotCanceledEarly() throws Exception {
    Slow provider = new Slow(BEGIN.plusSeconds(20));
    Row row = video("m?takes=100s");
    oneStep(provider);
    jobStore.cancel(row);
    runToTheEnd(provider);
    assertThat(row.status).isEqualTo("canceled");
    assertThat(provider.jobs.json(0)).contains("\"status\":\"cancelled\"");
  }

  @Test
  void aSubmissionInFlightIsNotRepeated() throws Exception {
    Slow provider = new Slow(BEGIN.plusSeconds(14));
    Row row = video("m?takes=30s");
    runToTheEnd(provider);
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(provider.jobs.json(0)).contains("\"submissions\":1");
  }

  @Test
  void aJobThatNeverArrivedIsSubmittedAgainAfterAWhile() throws Exception {
    Slow provider = new Slow(BEGIN.plusDays(1));
    Row row = video("m?takes=1s");
    runToTheEnd(provider);
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(row.intended).isBetween(BEGIN.plusSeconds(15), BEGIN.plusSeconds(40));
  }

  @Test
  void whatAProviderDoesNotTakeNowIsSubmittedAgainSoon() throws Exception {
    Row row = video("fault/job-busy:1?takes=1s");
    runToTheEnd(new DirectProvider(jobStore));
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(row.intended).isBetween(BEGIN, BEGIN.plusSeconds(3));
  }

  @Test
  void aJobThatNeverArrivedIsCanceledAfterAWhile() throws Exception {
    Slow provider = new Slow(BEGIN.plusDays(1));
    Row row = video("m?takes=100s");
    oneStep(provider);
    jobStore.cancel(row);
    runToTheEnd(provider);
    assertThat(row.status).isEqualTo("canceled");
    assertThat(jobStore.now).isBetween(BEGIN.plusSeconds(60), BEGIN.plusSeconds(63));
  }

  @Test
  void aCancellationDuringTheCopyIsRefused() throws Exception {
    Row row = video("m?takes=1s");
    AtomicInteger fetches = new AtomicInteger();
    DirectProvider provider =
        new DirectProvider(jobStore) {
          @Override
          public FileFetchResult fetch(MediaTarget target, String providerJob, int n, Spool into) {
            fetches.incrementAndGet();
            jobStore.cancel(row);
            return super.fetch(target, providerJob, n, into);
          }
        };
    blobs.failures = 1;
    while (fetches.get() == 0) {
      oneStep(provider);
    }
    assertThat(row.cancelAsked).isTrue();
    assertThat(row.nextDue).as("once the copy failed, at once").isEqualTo(jobStore.now);
    oneStep(provider);
    assertThat(row.cancelAsked).as("the provider does not give up what it made").isFalse();
    assertThat(row.isOpen()).isTrue();
    runToTheEnd(provider);
    assertThat(row.status).isEqualTo("succeeded");
    assertThat(row.ends).isEqualTo(1);
    assertThat(blobs.kept).hasSize(1);
  }

  @Test
  void aProviderHasNoMoreJobsThanItMay() throws Exception {
    DirectProvider provider = new DirectProvider(jobStore);
    jobStore.openMax = 2;
    for (int n = 0; n < 5; n++) {
      video("m?takes=5s");
    }
    while (jobStore.nextDue().isPresent()) {
      oneStep(provider);
      assertThat(jobStore.rows.values())
          .filteredOn(row -> row.isOpen() && row.intended != null)
          .hasSizeLessThanOrEqualTo(2);
    }
    assertThat(jobStore.rows.values()).allMatch(row -> row.status.equals("succeeded"));
    assertThat(counted.calls).contains("held back");
    assertThat(jobStore.now).isGreaterThan(BEGIN.plusSeconds(15));
  }
}
