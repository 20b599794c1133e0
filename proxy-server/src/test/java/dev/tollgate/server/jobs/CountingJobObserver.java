package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Recorder of the calls of workers. */
final class CountingJobObserver implements JobObserver {
  final List<String> calls = new ArrayList<>();
  int lost;

  @Override
  public void claimed(int jobs) {}

  @Override
  public synchronized void accepted(JobKind kind, Duration waited) {
    calls.add("accepted");
  }

  @Override
  public synchronized void deferred() {
    calls.add("held back");
  }

  @Override
  public synchronized void ended(JobKind kind, JobStatus how, Duration age) {
    calls.add(how.wire());
  }

  @Override
  public synchronized void leaseLost() {
    lost++;
  }

  @Override
  public synchronized void pollInconclusive() {
    calls.add("nothing");
  }

  @Override
  public synchronized void copied(long bytes) {
    calls.add("copied");
  }

  @Override
  public synchronized void copyFailed() {
    calls.add("not copied");
  }

  @Override
  public synchronized void deleted(int files) {
    calls.add("deleted " + files);
  }
}
