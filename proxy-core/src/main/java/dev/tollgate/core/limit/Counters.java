package dev.tollgate.core.limit;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Port to the rate-limit counters, token buckets and concurrency slots, in this process or in one
 * store for all nodes. Never blocks.
 */
public interface Counters {

  /**
   * Takes everything that {@code acquire} names, or nothing. A bucket whose capacity changed keeps
   * its level, at most its new capacity.
   *
   * @param loop the event loop of the answer
   * @param answer called once: before this method returns, or later as a task of the loop
   */
  void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer);

  /**
   * Ends a granted acquisition, once: frees its slot and corrects each bucket of tokens from the
   * estimate to what was used. No caller waits for that.
   *
   * @param tokensUsed prompt, completion, and reasoning reported beside it; 0 returns all tokens
   */
  void end(Acquire acquire, long tokensUsed);
}
