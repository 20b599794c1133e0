package dev.tollgate.server.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.server.jobs.InMemoryJobStore.Row;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers on threads of their own. */
class JobRunnerTest {
  private static final int WORKERS = 3;
  private static final String BODY =
      "{\"prompt\":\"p\",\"duration_seconds\":1,\"resolution\":\"16x16\"}";

  @TempDir private Path folder;
  private final InMemoryJobStore jobStore = InMemoryJobStore.live();

  private JobRunner runner(MediaProvider provider, JobObserver observer, Duration lease) {
    return runner(provider, observer, lease, Duration.ofMillis(20));
  }

  private JobRunner runner(
      MediaProvider provider, JobObserver observer, Duration lease, Duration pause) {
    var loop = new EmbeddedChannel().eventLoop();
    var storage = new ArtifactStorage(new StubBlobs(), () -> loop, Duration.ofSeconds(1));
    var rules = new ArtifactCopy.CopyOptions(SpoolTest.room(folder), 1 << 20, Duration.ofDays(7));
    MediaTarget target =
        new MediaTarget(
            URI.create("http://mock.test/v1"),
            "m?takes=0ms",
            Optional.empty(),
            Map.of(),
            PriceList.FREE,
            PriceList.FREE,
            Optional.empty(),
            false);
    return new JobRunner(
        jobStore,
        provider,
        _ -> Optional.of(target),
        new ArtifactCopy(provider, storage, rules, observer),
        new JobRunner.RunnerOptions(WORKERS, lease, pause),
        observer);
  }

  /** Provider that counts concurrent polls and lets the test hold them. */
  private static final class ConcurrentPolls extends DirectProvider {
    final AtomicInteger now = new AtomicInteger();
    final AtomicInteger most = new AtomicInteger();
    final CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(0);

    ConcurrentPolls(InMemoryJobStore jobStore) {
      super(jobStore);
    }

    @Override
    public ProviderJobState query(MediaTarget target, String providerJob)
        throws InterruptedException {
      most.accumulateAndGet(now.incrementAndGet(), Math::max);
      arrived.countDown();
      try {
        gate.await();
        return super.query(target, providerJob);
      } finally {
        now.decrementAndGet();
      }
    }
  }

  @Test
  void nodesShareTheWorkAndEachJobEndsOnce() throws Exception {
    int jobs = 60;
    ConcurrentPolls provider = new ConcurrentPolls(jobStore);
    for (int n = 0; n < jobs; n++) {
      jobStore.add(JobKind.VIDEO, BODY);
    }
    Ends ends = new Ends(jobs);
    try (JobRunner one = runner(provider, ends, Duration.ofSeconds(30));
        JobRunner other = runner(provider, ends, Duration.ofSeconds(30))) {
      one.start();
      other.start();
      assertThat(ends.all.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(jobStore.rows.values()).allSatisfy(row -> assertThat(row.ends).isEqualTo(1));
    assertThat(provider.jobs.json(0)).doesNotContain("\"submissions\":2");
    assertThat(provider.most).hasValueLessThanOrEqualTo(2 * WORKERS);
  }

  @Test
  void whatIsSubmittedHereIsTakenUpAtOnce() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    DirectProvider provider =
        new DirectProvider(jobStore) {
          @Override
          public SubmissionResult submit(MediaTarget target, ClaimedJob job) {
            sent.countDown();
            return super.submit(target, job);
          }
        };
    Duration hour = Duration.ofHours(1);
    try (JobRunner runner = runner(provider, new Ends(1), hour, hour)) {
      runner.start();
      assertThat(jobStore.asked.await(20, TimeUnit.SECONDS)).isTrue();
      jobStore.add(JobKind.VIDEO, BODY);
      runner.wakeUp();
      assertThat(sent.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aStoppingNodeReleasesItsJobs() throws Exception {
    ConcurrentPolls provider = new ConcurrentPolls(jobStore);
    provider.gate = new CountDownLatch(1);
    Row row = jobStore.add(JobKind.VIDEO, BODY);
    Ends ends = new Ends(1);
    JobRunner runner = runner(provider, ends, Duration.ofHours(1));
    runner.start();
    assertThat(provider.arrived.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(runner.busyWorkers()).isEqualTo(1);
    runner.close();
    assertThat(row.worker).isEmpty();
    assertThat(row.isOpen()).isTrue();
    assertThat(row.nextDue).isLessThanOrEqualTo(jobStore.now());
    provider.gate.countDown();
    try (JobRunner next = runner(provider, ends, Duration.ofHours(1))) {
      next.start();
      assertThat(ends.all.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(row.status).isEqualTo("succeeded");
  }

  @Test
  void aLeaseLastsAsLongAsItsWorkAndItsLossIsReported() throws Exception {
    ConcurrentPolls provider = new ConcurrentPolls(jobStore);
    provider.gate = new CountDownLatch(1);
    Row row = jobStore.add(JobKind.VIDEO, BODY);
    Ends ends = new Ends(1);
    try (JobRunner runner = runner(provider, ends, Duration.ofMillis(300))) {
      runner.start();
      assertThat(provider.arrived.await(20, TimeUnit.SECONDS)).isTrue();
      String worker = row.worker;
      assertThat(ends.renewed(jobStore, row)).isTrue();
      assertThat(row.worker).isEqualTo(worker);
      jobStore.take(row, "another");
      assertThat(ends.lost.await(20, TimeUnit.SECONDS)).isTrue();
      provider.gate.countDown();
    }
    assertThat(row.worker).isEqualTo("another");
    assertThat(row.ends).isZero();
  }

  @Test
  void aStoreThatIsAwayForAWhileIsAskedAgain() throws Exception {
    jobStore.failures = 3;
    Row row = jobStore.add(JobKind.VIDEO, BODY);
    Ends ends = new Ends(1);
    try (JobRunner runner = runner(new DirectProvider(jobStore), ends, Duration.ofHours(1))) {
      runner.start();
      runner.wakeUp();
      assertThat(ends.all.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(row.status).isEqualTo("succeeded");
  }

  /** Observer that lets a test wait for the end of jobs. */
  private static final class Ends implements JobObserver {
    final CountDownLatch all;
    final CountDownLatch lost = new CountDownLatch(1);

    Ends(int jobs) {
      all = new CountDownLatch(jobs);
    }

    /** Waits until the lease of a job was renewed. */
    boolean renewed(InMemoryJobStore jobStore, Row row) throws InterruptedException {
      Duration before = row.nextDue;
      for (int waits = 0; waits < 1_000; waits++) {
        if (row.nextDue.compareTo(before) > 0) {
          return true;
        }
        var _ = lost.await(5, TimeUnit.MILLISECONDS);
      }
      return jobStore.rows.isEmpty();
    }

    @Override
    public void claimed(int jobs) {}

    @Override
    public void accepted(JobKind kind, Duration waited) {}

    @Override
    public void deferred() {}

    @Override
    public void ended(JobKind kind, JobStatus how, Duration age) {
      all.countDown();
    }

    @Override
    public void leaseLost() {
      lost.countDown();
    }

    @Override
    public void pollInconclusive() {}

    @Override
    public void copied(long bytes) {}

    @Override
    public void copyFailed() {}

    @Override
    public void deleted(int files) {}
  }

  @Test
  void filesThatAreDueAreDeletedBeforeTheyAreForgotten() throws Exception {
    StubBlobs blobs = new StubBlobs();
    var loop = new EmbeddedChannel().eventLoop();
    var storage = new ArtifactStorage(blobs, () -> loop, Duration.ofSeconds(1));
    String name = "20261129/9f86d081884c7d65/00000000000000000000000000.mp4";
    blobs.kept.put(name, new byte[1]);
    blobs.failures = 1;
    jobStore.due.add(new JobStore.DueFile(new UUID(0, 1), name));
    jobStore.due.add(new JobStore.DueFile(new UUID(0, 2), "no name of ours"));
    CountingJobObserver counted = new CountingJobObserver();
    FileExpiry expiry = new FileExpiry(jobStore, storage, counted);
    assertThat(expiry.round()).isEqualTo(1);
    assertThat(jobStore.due).hasSize(1);
    assertThat(expiry.round()).as("not at once again").isZero();
    jobStore.passFilesPause();
    assertThat(expiry.round()).isEqualTo(1);
    assertThat(jobStore.due).isEmpty();
    assertThat(blobs.kept).isEmpty();
    assertThat(counted.calls).isEqualTo(List.of("deleted 1", "deleted 1"));
  }

  @Test
  void filesThatCannotBeDeletedDelayNoOthers() throws Exception {
    StubBlobs blobs = new StubBlobs();
    var loop = new EmbeddedChannel().eventLoop();
    var storage = new ArtifactStorage(blobs, () -> loop, Duration.ofSeconds(1));
    String name = "20261129/9f86d081884c7d65/%026d.mp4";
    for (int n = 0; n < 30; n++) {
      blobs.kept.put(name.formatted(n), new byte[1]);
      jobStore.due.add(new JobStore.DueFile(new UUID(0, n), name.formatted(n)));
    }
    blobs.failures = 3;
    FileExpiry expiry = new FileExpiry(jobStore, storage, new CountingJobObserver());
    assertThat(expiry.round()).isZero();
    assertThat(expiry.round()).isEqualTo(10);
    jobStore.passFilesPause();
    assertThat(expiry.round()).isEqualTo(20);
    assertThat(blobs.kept).isEmpty();
  }
}
