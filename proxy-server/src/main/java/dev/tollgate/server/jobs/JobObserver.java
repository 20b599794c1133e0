package dev.tollgate.server.jobs;

import dev.tollgate.core.catalog.Modality;
import java.time.Duration;
import java.util.Locale;

/** Hears what workers do. Any thread. */
public interface JobObserver {
  /** Jobs were taken up. */
  void claimed(int jobs);

  /** A provider accepted a job, so long after it was submitted to us. */
  void accepted(Modality kind, Duration waited);

  /** A job ended here, so long after it was submitted to us. */
  void ended(Modality kind, End how, Duration age);

  /** A worker lost a job that it still worked at. */
  void leaseLost();

  /** A provider did not tell how a job stands, or did not take it. */
  void learnedNothing();

  /** A file was copied into our storage. */
  void copied(long bytes);

  /** It was not. */
  void notCopied();

  /** Files were deleted because they were kept for long enough, or their job was removed. */
  void deleted(int files);

  /** How jobs end here. */
  enum End {
    SUCCEEDED,
    FAILED,
    CANCELED,
    EXPIRED;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /** As the status of the job says it. */
    public String wire() {
      return wire;
    }
  }
}
