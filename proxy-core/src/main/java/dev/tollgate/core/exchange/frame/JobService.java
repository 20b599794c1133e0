package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.job.JobRepository;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * Media job repository, with the options that the API's job endpoints need.
 *
 * @param reservationFactor the reservation as a multiple of the estimate
 * @param imageRetention how long submitted images are stored, unless the job ends before
 */
public record JobService(
    JobRepository jobs,
    BigDecimal reservationFactor,
    Duration imageRetention,
    Submissions submissions) {
  /** Handling of job submissions: accepted, or refused as not implemented. */
  public enum Submissions {
    ACCEPTED,
    /** No provider for jobs is configured. */
    NOT_IMPLEMENTED
  }

  /** The value for a process without jobs. */
  public static final Optional<JobService> NONE = Optional.empty();
}
