package dev.tollgate.server.ledger;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** File name of a journal segment: its id, and its state as the file's extension. */
record SegmentName(long id, State state) implements Comparable<SegmentName> {
  private static final Pattern FORM = Pattern.compile("([0-9a-f]{16})\\.(new|journal|settled)");

  /** State of a segment file. */
  enum State {
    /** Being created; its content is ignored. */
    NEW(".new"),
    /** May contain charges that are not settled. */
    JOURNAL(".journal"),
    /** Everything in it is settled; kept for a rollback of the ledger store. */
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
