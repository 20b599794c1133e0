package dev.tollgate.core.webhook;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * Port to the events that all nodes announce. Each verb is atomic and blocks; what is claimed and
 * never booked comes again when its lease is over.
 */
public interface Outbox {
  /** A receiver that took so long is slow until it does not. */
  Duration SLOW_THRESHOLD = Duration.ofSeconds(1);

  /** Takes what is due, in turns among receivers and organizations. */
  List<ClaimedEvent> claim(ClaimOptions options) throws OutboxException;

  /**
   * How much is taken. Slow receivers have at most half of a host's and of an organization's
   * places.
   *
   * @param limit of all
   * @param slowLimit places of slow receivers on this node, with those that they have
   * @param concurrency those that are counted over all nodes
   * @param firstDelay how old an event is at its first attempt
   */
  record ClaimOptions(
      int limit,
      int slowLimit,
      ConcurrencyLimits concurrency,
      Duration lease,
      Duration firstDelay) {}

  /**
   * How many attempts may be under way on all nodes together.
   *
   * @param receiver for one organization to one host
   * @param host to one host, whoever sends
   * @param org for one organization
   */
  record ConcurrencyLimits(int receiver, int host, int org) {}

  /** Writes down what came of an attempt, and gives the lease back. Twice is once. */
  RecordResult recordAttempt(Attempt attempt) throws OutboxException;

  /** An attempt that is over, and what is to follow. */
  record Attempt(ClaimedEvent claimed, ReceiverReply reply, Duration took, NextStep next) {}

  /** What a booking came to. */
  enum RecordResult {
    /** What was to follow does. */
    APPLIED,
    /** The attempt is remembered; what follows was for somebody else to say. */
    SUPERSEDED
  }

  /**
   * What the receiver did.
   *
   * @param outcome as metrics name it
   */
  record ReceiverReply(OptionalInt status, String outcome) {
    /** There was nothing to tell, so nobody was asked. */
    public static final ReceiverReply REMOVED = new ReceiverReply(OptionalInt.empty(), "removed");
  }

  /** What follows. */
  sealed interface NextStep {
    /** Nothing: the receiver has it. */
    record Delivered() implements NextStep {}

    /** Nothing: the receiver wants no more. */
    record Gone() implements NextStep {}

    /** Nothing: it was tried as often as the schedule says, or there is nothing to tell. */
    record Failed() implements NextStep {}

    /** Another attempt. */
    record Retry(Duration delay) implements NextStep {}
  }

  /** Gives the lease back as if nothing had been claimed; nobody claims it before the pause. */
  void release(ClaimedEvent claimed, Duration delay) throws OutboxException;

  /** What waits on all nodes. */
  Depth depth() throws OutboxException;

  /**
   * Numbers of the outbox.
   *
   * @param pending events without an end
   * @param oldest how long the one that is due for the longest is overdue; zero if none is
   */
  record Depth(long pending, Duration oldest) {}

  /**
   * What is due and cannot be signed here. It waits, and its history says why; nobody is asked in
   * the meantime, and no attempt is spent.
   */
  Unsignable unsignable() throws OutboxException;

  /**
   * Announcements that wait for longer than a node takes to find them.
   *
   * @param keyMissing their secret is sealed with a master key that this node lacks
   * @param secretDamaged their secret is not what was sealed for their organization
   */
  record Unsignable(long keyMissing, long secretDamaged) {
    public static final Unsignable NONE = new Unsignable(0, 0);

    /** The causes as histories and metrics name them. */
    public static final String KEY_MISSING = "key_missing";

    public static final String SECRET_DAMAGED = "secret_damaged";
  }

  /** The store could not do it. */
  final class OutboxException extends Exception {
    private static final long serialVersionUID = 1;

    public OutboxException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
