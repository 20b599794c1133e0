package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Recorder of the calls of workers. */
final class CountingJobObserver implements JobObserver {
  final List<String> told = new ArrayList<>();
  int lost;

  @Override
  public void claimed(int jobs) {}

  @Override
  public synchronized void accepted(JobKind kind, Duration waited) {
    told.add("accepted");
  }

  @Override
  public synchronized void deferred() {
    told.add("held back");
  }

  @Override
  public synchronized void ended(JobKind kind, JobStatus how, Duration age) {
    told.add(how.wire());
  }

  @Override
  public synchronized void leaseLost() {
    lost++;
  }

  @Override
  public synchronized void pollInconclusive() {
    told.add("nothing");
  }

  @Override
  public synchronized void copied(long bytes) {
    told.add("copied");
  }

  @Override
  public synchronized void copyFailed() {
    told.add("not copied");
  }

  @Override
  public synchronized void deleted(int files) {
    told.add("deleted " + files);
  }
}
