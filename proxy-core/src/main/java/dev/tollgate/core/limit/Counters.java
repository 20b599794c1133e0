package dev.tollgate.core.limit;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Port to where buckets and slots are counted: in this process, or in one store for all nodes.
 * Never blocks.
 */
public interface Counters {

  /**
   * Takes everything that {@code draw} names, or nothing at all. A bucket whose capacity is another
   * than before goes on with what it holds, at most its new capacity.
   *
   * @param loop where the answer is given
   * @param answer called once: before this returns, or later as a task of the loop
   */
  void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer);

  /**
   * Ends a draw that was taken, once: its slot is free again, and each bucket of tokens is
   * corrected from what was estimated to what was used. Nobody waits for it.
   *
   * @param tokensUsed prompt, completion and thoughts beside it; 0 gives all tokens back
   */
  void end(Acquire acquire, long tokensUsed);
}
