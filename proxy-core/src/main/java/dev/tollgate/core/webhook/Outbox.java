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
  Duration SLOW = Duration.ofSeconds(1);

  /** Takes what is due, in turns among receivers and organizations. */
  List<Due> claim(Wish wish) throws OutboxException;

  /**
   * How much is taken. Slow receivers have at most half of a host's and of an organization's
   * places.
   *
   * @param most of all
   * @param slowMost places of slow receivers on this node, with those that they have
   * @param places those that are counted over all nodes
   * @param first how old an event is at its first attempt
   */
  record Wish(int most, int slowMost, Places places, Duration lease, Duration first) {}

  /**
   * How many attempts may be under way on all nodes together.
   *
   * @param receiver for one organization to one host
   * @param host to one host, whoever sends
   * @param org for one organization
   */
  record Places(int receiver, int host, int org) {}

  /** Writes down what came of an attempt, and gives the lease back. Twice is once. */
  Booked book(Attempt attempt) throws OutboxException;

  /** An attempt that is over, and what is to follow. */
  record Attempt(Due due, Reply reply, Duration took, Next next) {}

  /** What a booking came to. */
  enum Booked {
    /** What was to follow does. */
    DECIDED,
    /** The attempt is remembered; what follows was for somebody else to say. */
    LATE
  }

  /**
   * What the receiver did.
   *
   * @param outcome as metrics name it
   */
  record Reply(OptionalInt status, String outcome) {
    /** There was nothing to tell, so nobody was asked. */
    public static final Reply REMOVED = new Reply(OptionalInt.empty(), "removed");
  }

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

  /** Gives the lease back as if nothing had been claimed; nobody claims it before the pause. */
  void release(Due due, Duration pause) throws OutboxException;

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
  Locked locked() throws OutboxException;

  /**
   * Announcements that wait for longer than a node takes to find them.
   *
   * @param keyMissing their secret is sealed with a master key that this node lacks
   * @param secretDamaged their secret is not what was sealed for their organization
   */
  record Locked(long keyMissing, long secretDamaged) {
    public static final Locked NONE = new Locked(0, 0);

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
