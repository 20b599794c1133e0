package dev.tollgate.core.webhook;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * Port to the events that all nodes announce. Each verb is atomic and blocks; what is claimed and
 * never booked comes again when its lease is over.
 */
public interface Outbox {
  /** Takes what is due, in turns among receivers and organizations. */
  List<Due> claim(Wish wish) throws OutboxException;

  /**
   * How much is taken. Places are counted over all nodes.
   *
   * @param most of all
   * @param hostMost places of one host
   * @param orgMost places of one organization
   * @param first how old an event is at its first attempt
   */
  record Wish(int most, int hostMost, int orgMost, Duration lease, Duration first) {}

  /** Writes down what came of an attempt, and gives the lease back. */
  void book(Attempt attempt) throws OutboxException;

  /** An attempt that is over, and what is to follow. */
  record Attempt(UUID event, int number, Reply reply, Duration took, Next next) {}

  /**
   * What the receiver did.
   *
   * @param outcome as metrics name it
   */
  record Reply(OptionalInt status, String outcome) {}

  /** What follows. */
  sealed interface Next {
    /** Nothing: the receiver has it. */
    record Delivered() implements Next {}

    /** Nothing: the receiver wants no more. */
    record Gone() implements Next {}

    /** Nothing: it was tried as often as the schedule says, or there is nothing to tell. */
    record Failed() implements Next {}

    /** Another attempt. */
    record Again(Duration pause) implements Next {}
  }

  /** Gives the lease back as if it had not been claimed. */
  void release(UUID event) throws OutboxException;

  /** What waits on all nodes. */
  Depth depth() throws OutboxException;

  /**
   * Numbers of the outbox.
   *
   * @param pending events without an end
   * @param oldest how long the one that is due for the longest is overdue; zero if none is
   */
  record Depth(long pending, Duration oldest) {}

  /** The store could not do it. */
  final class OutboxException extends Exception {
    private static final long serialVersionUID = 1;

    public OutboxException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
