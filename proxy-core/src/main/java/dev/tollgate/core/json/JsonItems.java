package dev.tollgate.core.json;

import java.util.Arrays;

/**
 * Base class of the items of one JSON object or array, as ranges of the bytes that they were read
 * from. An item is a member (with its name) or an element; offsets are absolute in {@link
 * #bytes()}. The lists of nested values are read through {@link #object} and {@link #array} only.
 * It is confined to one thread at a time, together with all lists that were read from it.
 */
public abstract sealed class JsonItems permits JsonMembers, JsonElements {
  private static final int ITEM_START = 0;
  private static final int NAME_END = 1;
  private static final int VALUE_START = 2;
  private static final int VALUE_END = 3;
  private static final int DEPTH = 4;
  private static final int STRIDE = 5;

  /** A message has two members; a request has more, and pays for one copy. */
  private static final int ITEMS_AT_FIRST = 4;

  private static final int ITEMS_KEPT = 64;

  private static final byte[] NONE = {};

  /** End of a list in a document that is being validated. */
  static final int NOT_KNOWN = -1;

  final JsonScanner scanner;

  private byte[] bytes = NONE;
  private int start;
  private int end;
  private int size;
  private boolean cut;
  private int[] slots = new int[ITEMS_AT_FIRST * STRIDE];

  /**
   * @param scanner shared by all lists of a document, which are read one at a time by one thread
   */
  JsonItems(JsonScanner scanner) {
    this.scanner = scanner;
  }

  public final byte[] bytes() {
    return bytes;
  }

  /** Returns the offset of the opening bracket. */
  public final int start() {
    return start;
  }

  /** Returns the offset after the closing bracket. */
  public final int end() {
    return end;
  }

  public final int size() {
    return size;
  }

  /**
   * True if there are more items than {@link JsonLimits#ITEMS_MAX}: the rest was validated like all
   * others, but is not listed here.
   */
  public final boolean isCut() {
    return cut;
  }

  public final int valueStart(int i) {
    return slot(i, VALUE_START);
  }

  /** Returns the offset after the value's last byte. */
  public final int valueEnd(int i) {
    return slot(i, VALUE_END);
  }

  public final JsonKind kind(int i) {
    return JsonKind.ofFirst(bytes[valueStart(i)]);
  }

  /**
   * Returns the nesting depth of the value, with this list's own bracket as one: of {@code {"a":1}}
   * 1, of {@code {"a":[]}} 2. See {@link JsonLimits#PLAIN_DEPTH_MAX}.
   */
  public final int depth(int i) {
    return slot(i, DEPTH);
  }

  /** Returns the value as written: of numbers, the digits. */
  public final String text(int i) {
    return JsonText.raw(bytes, valueStart(i), valueEnd(i));
  }

  /** Returns the decoded text of a string value. */
  public final String string(int i) {
    require(i, JsonKind.STRING);
    return JsonText.decode(bytes, valueStart(i) + 1, valueEnd(i) - 1);
  }

  /** Returns an iterator over the characters of a string value. */
  public final JsonChars chars(int i) {
    require(i, JsonKind.STRING);
    return new JsonChars(bytes, valueStart(i) + 1, valueEnd(i) - 1);
  }

  /** True if the value is a string with this decoded text; nothing is allocated if it is ASCII. */
  public final boolean isString(int i, String expected) {
    return kind(i) == JsonKind.STRING
        && JsonText.is(bytes, valueStart(i) + 1, valueEnd(i) - 1, expected);
  }

  /** True if the value is an empty string. */
  public final boolean isEmptyString(int i) {
    return kind(i) == JsonKind.STRING && valueEnd(i) - valueStart(i) == 2;
  }

  /**
   * Returns a number without a fractional part that fits, such as {@code 16}, {@code 16.0} or
   * {@code 1e2}; else {@code otherwise}.
   */
  public final long integer(int i, long otherwise) {
    return kind(i) == JsonKind.NUMBER
        ? JsonText.integer(bytes, valueStart(i), valueEnd(i), otherwise)
        : otherwise;
  }

  /** True if the value is a number without a point and an exponent. */
  final boolean isWrittenAsInteger(int i) {
    return kind(i) == JsonKind.NUMBER && JsonText.isDigits(bytes, valueStart(i), valueEnd(i));
  }

  /** Returns a number as {@link #integer} does, if it has neither a point nor an exponent. */
  public final long writtenInteger(int i, long otherwise) {
    return isWrittenAsInteger(i) ? integer(i, otherwise) : otherwise;
  }

  /** Returns the nearest double of a number value. */
  public final double number(int i) {
    require(i, JsonKind.NUMBER);
    return Double.parseDouble(text(i));
  }

  /** Returns the members of an object value. */
  public final JsonMembers object(int i) {
    JsonMembers members = new JsonMembers(scanner);
    members.readInside(this, i);
    return members;
  }

  /** Returns the elements of an array value. */
  public final JsonElements array(int i) {
    JsonElements elements = new JsonElements(scanner);
    elements.readInside(this, i);
    return elements;
  }

  /** Returns the offset of the item: of a member's name or an element's value. */
  final int itemStart(int i) {
    return slot(i, ITEM_START);
  }

  final int itemNameEnd(int i) {
    return slot(i, NAME_END);
  }

  final void require(int i, JsonKind expected) {
    if (kind(i) != expected) {
      throw new IllegalArgumentException("item " + i + " is " + kind(i) + ", not " + expected);
    }
  }

  final void begin(byte[] newBytes, int newStart) {
    bytes = newBytes;
    start = newStart;
    end = newStart;
    size = 0;
    cut = false;
    if (slots.length > ITEMS_KEPT * STRIDE) {
      slots = new int[ITEMS_KEPT * STRIDE];
    }
  }

  final void add(int itemStart, int nameEnd, int valueStart, int valueEnd, int depth) {
    if (size == JsonLimits.ITEMS_MAX) {
      cut = true;
      return;
    }
    int at = size * STRIDE;
    if (at == slots.length) {
      slots = Arrays.copyOf(slots, 2 * slots.length);
    }
    slots[at + ITEM_START] = itemStart;
    slots[at + NAME_END] = nameEnd;
    slots[at + VALUE_START] = valueStart;
    slots[at + VALUE_END] = valueEnd;
    slots[at + DEPTH] = depth;
    size++;
  }

  final void finish(int newEnd) {
    end = newEnd;
  }

  /**
   * Finishes a list that has more items than are listed, if its end is known: the rest was
   * validated with the document. Returns true if it did.
   */
  final boolean finishedIfCut(int knownEnd) {
    if (!cut || knownEnd == NOT_KNOWN) {
      return false;
    }
    finish(knownEnd);
    return true;
  }

  private int slot(int i, int field) {
    if (i < 0 || i >= size) {
      throw new IndexOutOfBoundsException("item " + i + " of " + size);
    }
    return slots[i * STRIDE + field];
  }
}
