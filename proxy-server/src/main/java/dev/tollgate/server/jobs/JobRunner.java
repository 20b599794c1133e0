package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.server.jobs.ClaimedJob.Doubt;
import dev.tollgate.server.outage.StoreOutage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runner of media jobs on this node: claims due jobs from the store and runs each on a virtual
 * thread, up to the number of workers. All nodes do the same; the database holds the claims.
 */
public final class JobRunner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JobRunner.class);

  /** Two renewals may be missed. */
  private static final int RENEWALS_PER_LEASE = 3;

  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(2);

  private final JobStore store;
  private final JobStep step;
  private final FairScheduler scheduler;
  private final RunnerOptions options;
  private final JobObserver observer;
  private final Semaphore idle;
  private final Map<JobId, RunningJob> runningJobs = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition wakeup = lock.newCondition();
  private final ScheduledThreadPoolExecutor leaseRenewer =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("job-leases").daemon().factory());
  private final Thread claimThread = Thread.ofVirtual().name("job-claims").unstarted(this::run);
  private final StoreOutage outage = new StoreOutage(LOG, "jobs");
  private boolean isWakeupRequested;
  private volatile boolean closing;

  /**
   * Options of this node's job workers.
   *
   * @param workers maximum number of jobs at a time
   * @param lease time for which a worker keeps a job without a renewal
   * @param pollInterval time between two queries for jobs while there are none
   */
  public record RunnerOptions(int workers, Duration lease, Duration pollInterval) {}

  private record RunningJob(ClaimedJob job, Thread thread) {}

  public JobRunner(
      JobStore store,
      MediaProvider provider,
      MediaTarget.Directory targets,
      ArtifactCopy copy,
      RunnerOptions options,
      JobObserver observer) {
    this.store = store;
    this.scheduler = new FairScheduler(options.workers(), System::nanoTime);
    this.step = new JobStep(store, provider, targets, copy, scheduler, observer);
    this.options = options;
    this.observer = observer;
    this.idle = new Semaphore(options.workers());
  }

  /** Starts the workers; called once. */
  public void start() {
    claimThread.start();
    long between = options.lease().toNanos() / RENEWALS_PER_LEASE;
    leaseRenewer.scheduleWithFixedDelay(this::renew, between, between, TimeUnit.NANOSECONDS);
  }

  /** Wakes the workers because a job may be due. Safe on any thread. */
  public void wakeUp() {
    lock.lock();
    try {
      isWakeupRequested = true;
      wakeup.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the store can be reached, as the workers know. */
  public StoreOutage outage() {
    return outage;
  }

  /** Returns the number of jobs in work here. */
  public int busyWorkers() {
    return options.workers() - idle.availablePermits();
  }

  // Claims

  private void run() {
    try {
      while (!closing) {
        idle.acquire();
        int limit = 1 + idle.drainPermits();
        int taken = claim(limit);
        if (taken < limit) {
          await();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Claims a job for each idle worker; returns the number of claimed jobs. */
  private int claim(int limit) {
    List<ClaimedJob> jobs = List.of();
    try {
      if (!closing) {
        long begunNanos = System.nanoTime();
        jobs = store.claim(options.lease(), scheduler.nextClaim(limit));
        scheduler.claimed(jobs);
        outage.succeeded(begunNanos);
      }
    } catch (SQLException | RuntimeException e) {
      outage.begin(String.valueOf(e.getMessage()));
    }
    if (closing) {
      jobs.forEach(this::release);
      idle.release(limit);
      return 0;
    }
    idle.release(limit - jobs.size());
    observer.claimed(jobs.size());
    for (ClaimedJob job : jobs) {
      Thread worker = Thread.ofVirtual().name("job-" + job.id()).unstarted(() -> work(job));
      runningJobs.put(job.id(), new RunningJob(job, worker));
      worker.start();
    }
    return jobs.size();
  }

  private void await() throws InterruptedException {
    lock.lock();
    try {
      long leftNanos = options.pollInterval().toNanos();
      while (!isWakeupRequested && !closing && leftNanos > 0) {
        leftNanos = wakeup.awaitNanos(leftNanos);
      }
      isWakeupRequested = false;
    } finally {
      lock.unlock();
    }
  }

  // Work

  private void work(ClaimedJob job) {
    try {
      step.run(job);
    } catch (InterruptedException e) {
      release(job); // this node stops, another continues
    } catch (SQLException e) {
      if (!outage.isCauseOf(e)) {
        LOG.warn("job {} of {}, will retry: {}", job.id(), job.job().request(), e.getMessage());
      }
      retryLater(job);
    } catch (RuntimeException | Error e) {
      LOG.error("job {} of {} failed unexpectedly, will retry", job.id(), job.job().request(), e);
      retryLater(job);
    } finally {
      runningJobs.remove(job.id());
      scheduler.ended(job);
      idle.release();
    }
  }

  /** If the release fails too, the lease expires. */
  private void release(ClaimedJob job) {
    try {
      store.release(job);
    } catch (SQLException | RuntimeException e) {
      LOG.debug("job {} is released when its lease expires", job.id(), e);
    }
  }

  private void retryLater(ClaimedJob job) {
    try {
      store.inconclusive(
          job, Doubt.NONE, PollSchedule.afterInconclusive(job.inconclusiveAttempts()));
    } catch (SQLException | RuntimeException e) {
      LOG.debug("job {} is released when its lease expires", job.id(), e);
    }
  }

  private void renew() {
    List<ClaimedJob> jobs = runningJobs.values().stream().map(RunningJob::job).toList();
    if (jobs.isEmpty()) {
      return;
    }
    try {
      Set<JobId> ours = store.renew(jobs, options.lease());
      for (ClaimedJob job : jobs) {
        RunningJob current = runningJobs.get(job.id());
        if (!ours.contains(job.id())
            && current != null
            && current.job().worker().equals(job.worker())) {
          observer.leaseLost(); // its worker learns of it at its next call of the store
        }
      }
    } catch (SQLException | RuntimeException e) {
      if (!outage.isCauseOf(e)) {
        LOG.warn("the leases of {} jobs could not be renewed: {}", jobs.size(), e.getMessage());
      }
    }
  }

  // End

  /** Stops claiming, waits briefly for jobs in work, and releases the rest. */
  @Override
  public void close() {
    closing = true;
    wakeUp();
    try {
      awaitWorkers();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    leaseRenewer.shutdownNow();
  }

  private void awaitWorkers() throws InterruptedException {
    claimThread.join(SHUTDOWN_TIMEOUT);
    if (!idle.tryAcquire(options.workers(), SHUTDOWN_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
      claimThread.interrupt();
      runningJobs.values().forEach(each -> each.thread().interrupt());
      for (RunningJob each : List.copyOf(runningJobs.values())) {
        each.thread().join(SHUTDOWN_TIMEOUT);
      }
    }
  }
}
