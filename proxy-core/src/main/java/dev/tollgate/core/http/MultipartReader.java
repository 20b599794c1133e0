package dev.tollgate.core.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the parts of a form in the array that it is collected into: each call reads on from where
 * the last one stopped, however much came meanwhile. It keeps offsets only. Not thread safe.
 */
public final class MultipartReader {
  public static final int PARTS_MAX = 128;
  public static final int HEAD_BYTES_MAX = 8 * 1024;

  private static final byte[] HEAD_END = {'\r', '\n', '\r', '\n'};
  private static final int LINE_END_BYTES = 2;

  private final byte[] delimiter;
  private final int[] skip = new int[256];
  private final List<FormPart> parts = new ArrayList<>();
  private State state = State.BEGINNING;
  private int at;
  private int partStart;
  private int headStart;
  private String name = "";
  private boolean file;
  private @Nullable String problem;

  private enum State {
    /** Nothing came yet: the first delimiter may stand there without a line end ahead. */
    BEGINNING,
    /** Ahead of the first delimiter, where anything may stand. */
    PREAMBLE,
    /** Behind a delimiter: the end of its line, or of all. */
    DELIMITER,
    HEAD,
    CONTENT,
    ENDED,
    BROKEN
  }

  public MultipartReader(MultipartBoundary boundary) {
    this.delimiter = boundary.delimiter();
    Arrays.fill(skip, delimiter.length);
    for (int i = 0; i < delimiter.length - 1; i++) {
      skip[delimiter[i] & 0xff] = delimiter.length - 1 - i;
    }
  }

  /** Reads on in an array of which the first {@code length} bytes have come. */
  public void read(byte[] bytes, int length) {
    boolean goesOn = true;
    while (goesOn) {
      goesOn =
          switch (state) {
            case BEGINNING -> beginning(bytes, length);
            case PREAMBLE, CONTENT -> toDelimiter(bytes, length);
            case DELIMITER -> behindDelimiter(bytes, length);
            case HEAD -> head(bytes, length);
            case ENDED, BROKEN -> false;
          };
    }
  }

  /** Whether the delimiter behind the last part came; what follows is nobody's. */
  public boolean isComplete() {
    return state == State.ENDED;
  }

  /** What is wrong with it; null while nothing is. */
  public @Nullable String problem() {
    return problem;
  }

  /** Where the delimiter behind the last part begins, its dashes included. */
  public int end() {
    return partStart;
  }

  /** The parts so far, in their order. */
  public List<FormPart> parts() {
    return parts;
  }

  private boolean beginning(byte[] bytes, int length) {
    int dashBoundary = delimiter.length - LINE_END_BYTES;
    int comparable = Math.min(length, dashBoundary);
    for (int i = 0; i < comparable; i++) {
      if (bytes[i] != delimiter[i + LINE_END_BYTES]) {
        state = State.PREAMBLE;
        return true;
      }
    }
    if (length < dashBoundary) {
      return false;
    }
    at = dashBoundary;
    state = State.DELIMITER;
    return true;
  }

  /** Looks only at every so many bytes: nothing in between can be a delimiter's end. */
  private boolean toDelimiter(byte[] bytes, int length) {
    int last = delimiter.length - 1;
    int from = at;
    while (from + last < length) {
      byte end = bytes[from + last];
      if (end == delimiter[last] && isDelimiter(bytes, from)) {
        found(from);
        return true;
      }
      from += skip[end & 0xff];
    }
    at = from;
    return false;
  }

  private boolean isDelimiter(byte[] bytes, int from) {
    return Arrays.equals(bytes, from, from + delimiter.length, delimiter, 0, delimiter.length);
  }

  private void found(int from) {
    if (state == State.CONTENT) {
      parts.add(new FormPart(name, file, partStart, headStart, Math.max(headStart, from)));
    }
    partStart = from + LINE_END_BYTES;
    at = from + delimiter.length;
    state = State.DELIMITER;
  }

  /** A delimiter's line holds nothing else, but that blanks are overlooked. */
  private boolean behindDelimiter(byte[] bytes, int length) {
    int end = at;
    if (length - end >= 2 && bytes[end] == '-' && bytes[end + 1] == '-') {
      state = State.ENDED;
      return false;
    }
    while (end < length && (bytes[end] == ' ' || bytes[end] == '\t') && end - at < 64) {
      end++;
    }
    if (length - end < LINE_END_BYTES) {
      return false;
    }
    if (bytes[end] != '\r' || bytes[end + 1] != '\n') {
      return broken("a delimiter is not alone on its line");
    }
    if (parts.size() == PARTS_MAX) {
      return broken("there are more than " + PARTS_MAX + " parts");
    }
    at = end + LINE_END_BYTES;
    headStart = at;
    state = State.HEAD;
    return true;
  }

  private boolean head(byte[] bytes, int length) {
    if (length - headStart >= LINE_END_BYTES && bytes[headStart] == '\r') {
      return broken("a part has no name"); // nor any header line
    }
    int bounded = Math.min(length, headStart + HEAD_BYTES_MAX + HEAD_END.length);
    for (int i = at; i + HEAD_END.length <= bounded; i++) {
      if (Arrays.equals(bytes, i, i + HEAD_END.length, HEAD_END, 0, HEAD_END.length)) {
        return headEnded(bytes, i);
      }
      at = i + 1;
    }
    return length - headStart > HEAD_BYTES_MAX && broken("a part's header is too large");
  }

  private boolean headEnded(byte[] bytes, int end) {
    if (end - headStart > HEAD_BYTES_MAX) {
      return broken("a part's header is too large");
    }
    switch (FormPartHead.read(bytes, headStart, end)) {
      case FormPartHead.Read.Bad bad -> {
        return broken(bad.problem());
      }
      case FormPartHead.Read.Fine fine -> {
        name = fine.name();
        file = fine.isFile();
      }
    }
    headStart = end + HEAD_END.length;
    at = headStart - LINE_END_BYTES; // of an empty part the delimiter follows at once
    state = State.CONTENT;
    return true;
  }

  private boolean broken(String what) {
    state = State.BROKEN;
    problem = what;
    return false;
  }
}
