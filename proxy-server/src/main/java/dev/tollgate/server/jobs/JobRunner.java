package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.server.jobs.ClaimedJob.Doubt;
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
 * This node's workers: they take up jobs that are due, each on a virtual thread of its own, as many
 * at a time as there are workers. Other nodes do the same; who has a job is in the database.
 */
public final class JobRunner implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

  /** Two signs of life may be missed. */
  private static final int RENEWALS_PER_LEASE = 3;

  private static final Duration STEPS_END_WITHIN = Duration.ofSeconds(2);

  private final JobStore store;
  private final JobStep step;
  private final Turns turns;
  private final Rules rules;
  private final JobObserver observer;
  private final Semaphore idle;
  private final Map<JobId, Held> held = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition rung = lock.newCondition();
  private final ScheduledThreadPoolExecutor signs =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("job-leases").daemon().factory());
  private final Thread claims = Thread.ofVirtual().name("job-claims").unstarted(this::run);
  private boolean isRung;
  private volatile boolean closing;
  private boolean failedBefore;

  /**
   * How they work.
   *
   * @param workers jobs at a time
   * @param lease how long a job is a worker's without a sign of life
   * @param pause between two looks for jobs while there are none
   */
  public record Rules(int workers, Duration lease, Duration pause) {}

  private record Held(ClaimedJob job, Thread thread) {}

  public JobRunner(
      JobStore store,
      MediaProvider provider,
      MediaTarget.Directory targets,
      ArtifactCopy copy,
      Rules rules,
      JobObserver observer) {
    this.store = store;
    this.turns = new Turns(rules.workers(), System::nanoTime);
    this.step = new JobStep(store, provider, targets, copy, turns, observer);
    this.rules = rules;
    this.observer = observer;
    this.idle = new Semaphore(rules.workers());
  }

  /** To be called once. */
  public void start() {
    claims.start();
    long between = rules.lease().toNanos() / RENEWALS_PER_LEASE;
    signs.scheduleWithFixedDelay(this::renew, between, between, TimeUnit.NANOSECONDS);
  }

  /** A job may be due now. Any thread. */
  public void ring() {
    lock.lock();
    try {
      isRung = true;
      rung.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Jobs in work here. */
  public int busy() {
    return rules.workers() - idle.availablePermits();
  }

  // Claims

  private void run() {
    try {
      while (!closing) {
        idle.acquire();
        int most = 1 + idle.drainPermits();
        int taken = claim(most);
        if (taken < most) {
          await();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes up as many jobs as there are idle workers, and says how many there were. */
  private int claim(int most) {
    List<ClaimedJob> jobs = List.of();
    try {
      if (!closing) {
        jobs = store.claim(rules.lease(), turns.next(most));
        turns.taken(jobs);
      }
      failedBefore = false;
    } catch (SQLException | RuntimeException e) {
      if (!failedBefore) {
        log.warn("no job can be taken up, tried again: {}", e.getMessage());
      }
      failedBefore = true;
    }
    if (closing) {
      jobs.forEach(this::giveBack);
      idle.release(most);
      return 0;
    }
    idle.release(most - jobs.size());
    observer.claimed(jobs.size());
    for (ClaimedJob job : jobs) {
      Thread worker = Thread.ofVirtual().name("job-" + job.id()).unstarted(() -> work(job));
      held.put(job.id(), new Held(job, worker));
      worker.start();
    }
    return jobs.size();
  }

  private void await() throws InterruptedException {
    lock.lock();
    try {
      long leftNanos = rules.pause().toNanos();
      while (!isRung && !closing && leftNanos > 0) {
        leftNanos = rung.awaitNanos(leftNanos);
      }
      isRung = false;
    } finally {
      lock.unlock();
    }
  }

  // Work

  private void work(ClaimedJob job) {
    try {
      step.take(job);
    } catch (InterruptedException e) {
      giveBack(job); // this node stops, another goes on
    } catch (SQLException e) {
      log.warn("job {} of {}, tried again: {}", job.id(), job.job().request(), e.getMessage());
      tryAgain(job);
    } catch (RuntimeException | Error e) {
      log.error("job {} of {} failed here, tried again", job.id(), job.job().request(), e);
      tryAgain(job);
    } finally {
      held.remove(job.id());
      turns.ended(job);
      idle.release();
    }
  }

  /** Where that fails too, its lease ends. */
  private void giveBack(ClaimedJob job) {
    try {
      store.giveBack(job);
    } catch (SQLException | RuntimeException e) {
      log.debug("job {} is given back when its lease ends", job.id(), e);
    }
  }

  private void tryAgain(ClaimedJob job) {
    try {
      store.inVain(job, Doubt.NONE, LookTimes.afterNothing(job.tries()));
    } catch (SQLException | RuntimeException e) {
      log.debug("job {} is given back when its lease ends", job.id(), e);
    }
  }

  private void renew() {
    List<ClaimedJob> jobs = held.values().stream().map(Held::job).toList();
    if (jobs.isEmpty()) {
      return;
    }
    try {
      Set<JobId> ours = store.renew(jobs, rules.lease());
      for (ClaimedJob job : jobs) {
        Held now = held.get(job.id());
        if (!ours.contains(job.id()) && now != null && now.job().worker().equals(job.worker())) {
          observer.leaseLost(); // its worker hears of it with what it does next
        }
      }
    } catch (SQLException | RuntimeException e) {
      log.warn("the leases of {} jobs could not be renewed: {}", jobs.size(), e.getMessage());
    }
  }

  // Its end

  /** Takes up nothing more, and gives back what is in work if that does not end soon. */
  @Override
  public void close() {
    closing = true;
    ring();
    try {
      end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    signs.shutdownNow();
  }

  private void end() throws InterruptedException {
    claims.join(STEPS_END_WITHIN);
    if (!idle.tryAcquire(rules.workers(), STEPS_END_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
      claims.interrupt();
      held.values().forEach(each -> each.thread().interrupt());
      for (Held each : List.copyOf(held.values())) {
        each.thread().join(STEPS_END_WITHIN);
      }
    }
  }
}
