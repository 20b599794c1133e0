package dev.tollgate.core.webhook;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * Port to the store of undelivered webhook events, which all nodes share and from which they claim
 * due events. Each method is atomic and blocks; an event that is claimed but never recorded is due
 * again when its lease expires.
 */
public interface Outbox {
  /** A receiver whose last attempt took this long counts as slow. */
  Duration SLOW_THRESHOLD = Duration.ofSeconds(1);

  /** Claims due events, taking turns among receivers and organizations. */
  List<ClaimedEvent> claim(ClaimOptions options) throws OutboxException;

  /**
   * Limits of the events that one claim returns. Slow receivers get at most half of a host's and of
   * an organization's limit.
   *
   * @param limit events in all
   * @param slowLimit attempts at slow receivers on this node, those in progress included
   * @param concurrency limits that hold over all nodes
   * @param firstDelay the age of an event at its first attempt
   */
  record ClaimOptions(
      int limit,
      int slowLimit,
      ConcurrencyLimits concurrency,
      Duration lease,
      Duration firstDelay) {}

  /**
   * Limits of concurrent delivery attempts on all nodes together.
   *
   * @param receiver of one organization to one host
   * @param host to one host, from all organizations
   * @param org of one organization
   */
  record ConcurrencyLimits(int receiver, int host, int org) {}

  /** Records the result of an attempt and ends the lease. Idempotent. */
  RecordResult recordAttempt(Attempt attempt) throws OutboxException;

  /** Finished delivery attempt and the step that follows. */
  record Attempt(ClaimedEvent claimed, ReceiverReply reply, Duration took, NextStep next) {}

  /** Result of recording a delivery attempt. */
  enum RecordResult {
    /** The next step was applied. */
    APPLIED,
    /**
     * The attempt was recorded; its lease had expired, so the next step is another claim's to
     * decide.
     */
    SUPERSEDED
  }

  /**
   * Receiver's reply to a delivery attempt: its HTTP status, if any, and the outcome.
   *
   * @param outcome the label in metrics
   */
  record ReceiverReply(OptionalInt status, String outcome) {
    /** The job was removed, so there is no payload and the receiver was not called. */
    public static final ReceiverReply REMOVED = new ReceiverReply(OptionalInt.empty(), "removed");
  }

  /** Step after a delivery attempt: none, or another attempt. */
  sealed interface NextStep {
    /** No further attempt: the receiver accepted the event. */
    record Delivered() implements NextStep {}

    /** No further attempt: the receiver accepts no more events. */
    record Gone() implements NextStep {}

    /** No further attempt: the schedule is exhausted or the job was removed. */
    record Failed() implements NextStep {}

    /** Another attempt after a delay. */
    record Retry(Duration delay) implements NextStep {}
  }

  /**
   * Ends the lease as if the event had not been claimed; it is not claimed again before the delay.
   */
  void release(ClaimedEvent claimed, Duration delay) throws OutboxException;

  /** Returns the backlog of all nodes. */
  Depth depth() throws OutboxException;

  /**
   * Number and age of the events in the outbox that have not ended.
   *
   * @param pending events that have not ended
   * @param oldest how long the most overdue event is overdue; zero if none is
   */
  record Depth(long pending, Duration oldest) {}

  /**
   * Returns the number of due events that cannot be signed on this node. Such an event waits, and
   * its history says why; its receiver is not called and no attempt is spent.
   */
  Unsignable unsignable() throws OutboxException;

  /**
   * Numbers of events that nodes cannot sign and that have waited for longer than a claim takes, by
   * cause.
   *
   * @param keyMissing events whose secret is sealed with a master key that this node lacks
   * @param secretDamaged events whose secret cannot be unsealed for their organization
   */
  record Unsignable(long keyMissing, long secretDamaged) {
    public static final Unsignable NONE = new Unsignable(0, 0);

    /** Causes as histories and metrics name them. */
    public static final String KEY_MISSING = "key_missing";

    public static final String SECRET_DAMAGED = "secret_damaged";
  }

  /** Thrown when the outbox store fails. */
  final class OutboxException extends Exception {
    private static final long serialVersionUID = 1;

    public OutboxException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
