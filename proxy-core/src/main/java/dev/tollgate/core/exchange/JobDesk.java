package dev.tollgate.core.exchange;

import dev.tollgate.core.fetch.UrlGuard;
import dev.tollgate.core.job.Jobs;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Where media jobs are submitted and asked for.
 *
 * @param urls judges what clients want to be called or fetched later
 * @param reservationFactor what is held, as a multiple of the estimate
 */
public record JobDesk(Jobs jobs, UrlGuard urls, BigDecimal reservationFactor, Submissions open) {
  /** Whether somebody makes what is asked for. */
  public enum Submissions {
    TAKEN,
    /** Nobody does. */
    NOT_IMPLEMENTED
  }

  /** That of a process that has no jobs. */
  public static final Optional<JobDesk> NONE = Optional.empty();
}
