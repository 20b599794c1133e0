package dev.tollgate.core.http.multipart;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Incremental parser of a multipart form in the array that collects it: each call continues where
 * the previous one stopped. It keeps offsets of the parts only. It is not thread-safe.
 */
public final class MultipartReader {
  public static final int PARTS_MAX = 128;
  public static final int HEAD_BYTES_MAX = 8 * 1024;

  private static final byte[] HEAD_END = {'\r', '\n', '\r', '\n'};
  private static final int LINE_END_BYTES = 2;

  private final byte[] delimiter;
  private final DelimiterSearch search;
  private final List<FormPart> parts = new ArrayList<>();
  private State state = State.BEGINNING;
  private int at;
  private int partStart;
  private int headStart;
  private String name = "";
  private boolean file;
  private @Nullable String problem;

  private enum State {
    /** No byte was read: the first delimiter may come without a line end before it. */
    BEGINNING,
    /** Before the first delimiter, where any content is allowed. */
    PREAMBLE,
    /** After a delimiter: the end of its line, or of the form. */
    DELIMITER,
    HEAD,
    CONTENT,
    ENDED,
    BROKEN
  }

  public MultipartReader(MultipartBoundary boundary) {
    this.delimiter = boundary.delimiter();
    this.search = new DelimiterSearch(delimiter);
  }

  /** Continues in an array whose first {@code length} bytes are present. */
  public void read(byte[] bytes, int length) {
    boolean progressed = true;
    while (progressed) {
      progressed =
          switch (state) {
            case BEGINNING -> beginning(bytes, length);
            case PREAMBLE, CONTENT -> toDelimiter(bytes, length);
            case DELIMITER -> afterDelimiter(bytes, length);
            case HEAD -> head(bytes, length);
            case ENDED, BROKEN -> false;
          };
    }
  }

  /** True if the delimiter after the last part was read; the rest is ignored. */
  public boolean isComplete() {
    return state == State.ENDED;
  }

  /** Returns the error in the form; null if there is none. */
  public @Nullable String problem() {
    return problem;
  }

  /** Returns the start of the delimiter after the last part, with its dashes. */
  public int end() {
    return partStart;
  }

  /** Returns the parts so far, in their order. */
  public List<FormPart> parts() {
    return parts;
  }

  private boolean beginning(byte[] bytes, int length) {
    int comparable = Math.min(length, delimiter.length);
    if (!Arrays.equals(bytes, 0, comparable, delimiter, 0, comparable)) {
      state = State.PREAMBLE;
      return true;
    }
    if (length < delimiter.length) {
      return false;
    }
    at = delimiter.length;
    state = State.DELIMITER;
    return true;
  }

  /**
   * Refuses a delimiter that does not begin a line: some parsers accept it, others take it for
   * content.
   */
  private boolean toDelimiter(byte[] bytes, int length) {
    int from = search.find(bytes, at, length);
    if (from < 0) {
      at = Math.max(at, length - delimiter.length + 1);
      return false;
    }
    if (from < LINE_END_BYTES || bytes[from - 2] != '\r' || bytes[from - 1] != '\n') {
      return broken("a delimiter does not begin a line");
    }
    if (state == State.CONTENT) {
      int end = Math.max(headStart, from - LINE_END_BYTES);
      parts.add(new FormPart(name, file, partStart, headStart, end));
    }
    partStart = from;
    at = from + delimiter.length;
    state = State.DELIMITER;
    return true;
  }

  /** Checks that a delimiter is alone on its line; trailing blanks are allowed. */
  private boolean afterDelimiter(byte[] bytes, int length) {
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
    at = headStart; // the delimiter of an empty part follows directly
    state = State.CONTENT;
    return true;
  }

  private boolean broken(String what) {
    state = State.BROKEN;
    problem = what;
    return false;
  }
}
