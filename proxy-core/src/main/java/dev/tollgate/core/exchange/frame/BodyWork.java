package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.fault.Fault;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work over the whole body of one request, such as its parsing or translation. A small body is
 * worked on by the loop; a large one by other threads, one task after the other, so that what the
 * request reads from its body needs no lock. Loop-confined.
 */
public final class BodyWork {
  /** Largest body in bytes that the loop works on itself, in one to five milliseconds. */
  public static final int ON_LOOP_BYTES_MAX = 256 * 1024;

  /** Refusal of a request whose body finds the queue of the threads full. */
  public static final Fault BUSY = Fault.tryLater("Too many large request bodies are being read.");

  private static final Duration WAIT_MAX = Duration.ofSeconds(10);

  private final Offload offload;
  private final Body body;
  private final RequestLoop loop;
  private @Nullable Queue<Runnable> waiting;
  private boolean busy;

  public BodyWork(BodyPorts ports, Body body, RequestLoop loop) {
    this.offload = ports.offload();
    this.body = body;
    this.loop = loop;
  }

  /** Returns the loop on which results arrive. */
  public RequestLoop loop() {
    return loop;
  }

  /** True if a body may hold up the other requests of its loop. */
  public static boolean isLarge(long bytes) {
    return bytes > ON_LOOP_BYTES_MAX;
  }

  /** True if the request's body is large. */
  public boolean isLarge() {
    return isLarge(body.length());
  }

  /** Runs a task at once, or, for a large body, as {@link #offload} does. */
  public <T> void run(Supplier<T> task, Consumer<T> then, Runnable refused) {
    if (isLarge()) {
      offload(task, then, refused);
    } else {
      then.accept(task.get());
    }
  }

  /**
   * Runs a task on another thread. The body's array stays counted until the task is done. An
   * exception of the task ends the request.
   *
   * @param then gets the result on the loop, also after the request's end
   * @param refused called instead if the task found no room in the queue, or waited too long there
   */
  public <T> void offload(Supplier<T> task, Consumer<T> then, Runnable refused) {
    loop.check();
    Body.Loan loan = body.lend();
    Runnable start = () -> start(task, loan, outcome -> deliver(outcome, then, refused));
    if (busy) {
      waiting().add(start);
    } else {
      start.run();
    }
  }

  private Queue<Runnable> waiting() {
    Queue<Runnable> queue = waiting == null ? new ArrayDeque<>(2) : waiting;
    waiting = queue;
    return queue;
  }

  private <T> void start(Supplier<T> task, Body.Loan loan, Consumer<Offload.Outcome<T>> whenDone) {
    busy = true;
    offload.run(
        loop.eventLoop(),
        loop.now() + WAIT_MAX.toNanos(),
        task::get,
        outcome -> {
          loan.end();
          busy = false;
          loop.run(() -> whenDone.accept(outcome));
          startNext();
        });
  }

  private void startNext() {
    Runnable next = busy || waiting == null ? null : waiting.poll();
    if (next != null) {
      next.run();
    }
  }

  private static <T> void deliver(Offload.Outcome<T> outcome, Consumer<T> then, Runnable refused) {
    switch (outcome) {
      case Offload.Outcome.Done<T>(T value) -> then.accept(value);
      case Offload.Outcome.Refused<T> _ -> refused.run();
      case Offload.Outcome.Failed<T>(Throwable cause) ->
          throw new IllegalStateException("the work over a body failed", cause);
    }
  }
}
