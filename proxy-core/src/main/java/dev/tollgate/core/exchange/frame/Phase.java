package dev.tollgate.core.exchange.frame;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** State of an exchange, with the table of legal transitions (docs/life-of-a-request.md). */
public enum Phase {
  /** The whole body has arrived: parse, check scope, choose a route. */
  ADMITTED,
  /** The worst case is being reserved. */
  RESERVING,
  /** The permit of the limits is being acquired. */
  LIMITING,
  /** The media that the request names by URL are being judged or fetched. */
  FETCHING,
  /** Waiting for a connection, for a backoff to pass, or for the limit of another model. */
  CONNECTING,
  /** The request was sent; waiting for the first usable event or the whole reply. */
  WAITING,
  /** Content is sent to the client; another provider may only continue it. */
  RELAYING,
  /** The client disconnected; the upstream is read on for the usage or the result. */
  DRAINING_UPSTREAM,
  /** Images are being stored, so that the client gets their URLs. */
  STORING,
  /** The charge is decided; the client gets the final part when the charge is durable. */
  SETTLING,
  /** The request is recorded, and nothing is held. */
  ENDED;

  private static final Set<Phase> FROM_ADMITTED = EnumSet.of(RESERVING, SETTLING);
  private static final Set<Phase> FROM_RESERVING = EnumSet.of(LIMITING, SETTLING);
  private static final Set<Phase> FROM_LIMITING = EnumSet.of(FETCHING, CONNECTING, SETTLING);
  private static final Set<Phase> FROM_FETCHING = EnumSet.of(CONNECTING, SETTLING);
  private static final Set<Phase> FROM_CONNECTING = EnumSet.of(CONNECTING, WAITING, SETTLING);
  private static final Set<Phase> FROM_WAITING =
      EnumSet.of(CONNECTING, WAITING, RELAYING, DRAINING_UPSTREAM, STORING, SETTLING);
  private static final Set<Phase> FROM_RELAYING =
      EnumSet.of(CONNECTING, DRAINING_UPSTREAM, SETTLING);
  private static final Set<Phase> FROM_DRAINING_UPSTREAM = EnumSet.of(SETTLING);
  private static final Set<Phase> FROM_STORING = EnumSet.of(SETTLING);
  private static final Set<Phase> FROM_SETTLING = EnumSet.of(ENDED);
  private static final Set<Phase> FROM_ENDED = EnumSet.noneOf(Phase.class);

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name in logs. */
  public String wire() {
    return wire;
  }

  /** Returns {@code next} if the table allows the transition, else throws. */
  public Phase to(Phase next) {
    if (!next().contains(next)) {
      throw new IllegalStateException(this + " does not lead to " + next);
    }
    return next;
  }

  /** Returns the phases that may follow this one. */
  public Set<Phase> next() {
    return switch (this) {
      case ADMITTED -> FROM_ADMITTED;
      case RESERVING -> FROM_RESERVING;
      case LIMITING -> FROM_LIMITING;
      case FETCHING -> FROM_FETCHING;
      case CONNECTING -> FROM_CONNECTING;
      case WAITING -> FROM_WAITING;
      case RELAYING -> FROM_RELAYING;
      case DRAINING_UPSTREAM -> FROM_DRAINING_UPSTREAM;
      case STORING -> FROM_STORING;
      case SETTLING -> FROM_SETTLING;
      case ENDED -> FROM_ENDED;
    };
  }
}
