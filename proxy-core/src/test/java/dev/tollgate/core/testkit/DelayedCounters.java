package dev.tollgate.core.testkit;

import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.Counters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Counters whose answers a test controls: at once, when the test calls {@link #answer}, or never.
 * Each granted acquisition must be ended exactly once.
 */
public final class DelayedCounters implements Counters {
  private final Counters delegate;
  private final List<Acquire> open = new ArrayList<>();
  private final List<Runnable> delayed = new ArrayList<>();
  private boolean answersWait;
  private boolean isUnavailable;
  private boolean releasesFail;

  DelayedCounters(Counters delegate) {
    this.delegate = delegate;
  }

  @Override
  public void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
    Runnable asked = () -> ask(acquire, loop, answer);
    if (answersWait) {
      delayed.add(asked);
    } else {
      asked.run();
    }
  }

  private void ask(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
    if (isUnavailable) {
      answer.accept(new AcquireResult.Unavailable("gone"));
      return;
    }
    delegate.acquire(
        acquire,
        loop,
        result -> {
          if (result instanceof AcquireResult.AllAcquired && !acquire.isProbe()) {
            open.add(acquire);
          }
          answer.accept(result);
        });
  }

  @Override
  public void end(Acquire acquire, long tokensUsed) {
    if (!open.remove(acquire)) {
      throw new AssertionError("not open: " + acquire);
    }
    delegate.end(acquire, tokensUsed);
    if (releasesFail) {
      throw new IllegalStateException("the end of " + acquire.request() + " fails");
    }
  }

  /** Lets every end of an acquisition fail from now on. */
  public void failReleases() {
    releasesFail = true;
  }

  /** Delays answers until {@link #answer}, from now on. */
  public void holdAnswers() {
    answersWait = true;
  }

  public void answer() {
    answersWait = false;
    List<Runnable> all = List.copyOf(delayed);
    delayed.clear();
    all.forEach(Runnable::run);
  }

  /** Makes the counters unavailable from now on. */
  public void setUnavailable() {
    isUnavailable = true;
  }

  /** Returns the number of acquisitions that were granted and not ended. */
  public int open() {
    return open.size();
  }
}
