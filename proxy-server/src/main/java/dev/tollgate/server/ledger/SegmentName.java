package dev.tollgate.server.ledger;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name of a segment's file: its id, and what is to be done with it. */
record SegmentName(long id, State state) implements Comparable<SegmentName> {
  private static final Pattern FORM = Pattern.compile("([0-9a-f]{16})\\.(new|journal|settled)");

  /** What a file's ending says. */
  enum State {
    /** Being made; nothing in it matters. */
    NEW(".new"),
    /** Holds what may not be in the books. */
    JOURNAL(".journal"),
    /** Everything in it is in the books; kept for a while. */
    SETTLED(".settled");

    private final String suffix;

    State(String suffix) {
      this.suffix = suffix;
    }
  }

  static Optional<SegmentName> of(String file) {
    Matcher name = FORM.matcher(file);
    if (!name.matches()) {
      return Optional.empty();
    }
    State state =
        switch (name.group(2)) {
          case "new" -> State.NEW;
          case "journal" -> State.JOURNAL;
          default -> State.SETTLED;
        };
    return Optional.of(new SegmentName(Long.parseUnsignedLong(name.group(1), 16), state));
  }

  SegmentName withState(State other) {
    return new SegmentName(id, other);
  }

  @Override
  public int compareTo(SegmentName other) {
    return Long.compare(id, other.id);
  }

  @Override
  public String toString() {
    return String.format("%016x%s", id, state.suffix);
  }
}
