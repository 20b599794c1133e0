package dev.tollgate.core.json;

import dev.tollgate.core.json.InvalidJson.Reason;

/** Elements of one JSON array as ranges of its bytes, in their order. */
public final class JsonElements extends JsonItems {
  /** Creates an empty list, to be filled by {@link #read} or {@link #readInside}. */
  public JsonElements() {
    this(new JsonScanner());
  }

  JsonElements(JsonScanner scanner) {
    super(scanner);
  }

  /** Reads a document that must be one array. */
  public static JsonElements of(byte[] bytes, int from, int to) throws InvalidJson {
    JsonElements elements = new JsonElements();
    elements.read(bytes, from, to);
    return elements;
  }

  /** Reads a document that must be one array into this list. */
  public void read(byte[] bytes, int from, int to) throws InvalidJson {
    int open = scanner.document(bytes, from, to);
    if (bytes[open] != '[') {
      scanner.endOfDocument(scanner.value(open, 1));
      throw scanner.refused(Reason.NOT_AN_ARRAY, open, "the root is not an array");
    }
    elements(bytes, open, NOT_KNOWN);
    scanner.endOfDocument(end());
  }

  /** Reads an array value of a list that was read before into this list. */
  public void readInside(JsonItems parent, int i) {
    parent.require(i, JsonKind.ARRAY);
    scanner.reset(parent.bytes(), parent.valueStart(i), parent.valueEnd(i));
    try {
      elements(parent.bytes(), parent.valueStart(i), parent.valueEnd(i));
    } catch (InvalidJson e) {
      throw new IllegalStateException("the bytes were changed after they were read", e);
    }
  }

  private void elements(byte[] bytes, int open, int knownEnd) throws InvalidJson {
    begin(bytes, open);
    int at = scanner.space(open + 1);
    if (scanner.peek(at) == ']') {
      finish(at + 1);
      return;
    }
    while (true) {
      int valueEnd = scanner.measuredValue(at, 2);
      add(at, at, at, valueEnd, Math.max(1, scanner.deepest()));
      if (finishedIfCut(knownEnd)) {
        return;
      }
      at = scanner.space(valueEnd);
      if (scanner.peek(at) == ']') {
        finish(at + 1);
        return;
      }
      at = scanner.token(at, ',');
    }
  }
}
