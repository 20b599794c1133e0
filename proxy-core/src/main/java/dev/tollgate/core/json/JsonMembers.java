package dev.tollgate.core.json;

import dev.tollgate.core.json.InvalidJson.Reason;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/**
 * Members of one JSON object as ranges of its bytes, in their order and with duplicates. A whole
 * document is read with {@link #of} (once) or {@link #read} (repeatedly into the same object,
 * without allocation); both accept exactly the strict documents within {@link JsonLimits}.
 */
public final class JsonMembers extends JsonItems {
  /** Creates an empty list, to be filled by {@link #read} or {@link #readInside}. */
  public JsonMembers() {
    this(new JsonScanner());
  }

  JsonMembers(JsonScanner scanner) {
    super(scanner);
  }

  /** Reads a document that must be one object. */
  public static JsonMembers of(byte[] bytes, int from, int to) throws InvalidJson {
    return of(bytes, from, to, Set.of());
  }

  /**
   * Reads a document that must be one object, such as a request's body.
   *
   * @param bounded members that must not be lists of more than {@link JsonLimits#ITEMS_MAX} items
   */
  public static JsonMembers of(byte[] bytes, int from, int to, Set<String> bounded)
      throws InvalidJson {
    JsonMembers members = new JsonMembers();
    members.scanner.bound(bounded);
    members.read(bytes, from, to);
    members.scanner.bound(Set.of());
    return members;
  }

  /**
   * Reads an object from the bytes of a value in a document that was read before. Limits of a root,
   * such as the number of members, do not apply.
   */
  public static JsonMembers ofKept(byte[] object) {
    JsonMembers members = new JsonMembers();
    members.scanner.reset(object, 0, object.length);
    members.unbounded(object, 0, object.length);
    return members;
  }

  /** Reads a document that must be one object into this list, such as a stream's chunk. */
  public void read(byte[] bytes, int from, int to) throws InvalidJson {
    int open = scanner.document(bytes, from, to);
    if (bytes[open] != '{') {
      scanner.endOfDocument(scanner.value(open, 1));
      throw scanner.refused(Reason.NOT_AN_OBJECT, open, "the root is not an object");
    }
    members(bytes, open, JsonLimits.ROOT_MEMBERS_MAX, NOT_KNOWN);
    scanner.endOfDocument(end());
  }

  /**
   * Reads a document like {@link #read}; one that is refused is repaired and read again, from a
   * copy. Returns what was repaired, usually nothing.
   */
  public Set<JsonDefect> readRepaired(byte[] bytes, int from, int to) throws InvalidJson {
    try {
      read(bytes, from, to);
      return Set.of();
    } catch (InvalidJson refused) {
      JsonRepair repair =
          refused.reason() == Reason.MALFORMED ? JsonRepair.of(bytes, from, to) : null;
      if (repair == null) {
        throw refused;
      }
      byte[] repaired = repair.repaired();
      read(repaired, 0, repaired.length);
      return repair.defects();
    }
  }

  /**
   * Reads a document like {@link #read}, but validates only the end and the commas of number lists:
   * in a reply with vectors these are most of the bytes, and are not read here.
   */
  public void readSkippingNumberLists(byte[] bytes, int from, int to) throws InvalidJson {
    scanner.skipNumberValidation(true);
    try {
      read(bytes, from, to);
    } finally {
      scanner.skipNumberValidation(false);
    }
  }

  /** Reads an object value of a list that was read before into this list. */
  public void readInside(JsonItems parent, int i) {
    parent.require(i, JsonKind.OBJECT);
    scanner.reset(parent.bytes(), parent.valueStart(i), parent.valueEnd(i));
    unbounded(parent.bytes(), parent.valueStart(i), parent.valueEnd(i));
  }

  private void unbounded(byte[] bytes, int open, int knownEnd) {
    try {
      members(bytes, open, Integer.MAX_VALUE, knownEnd);
    } catch (InvalidJson e) {
      throw new IllegalStateException("the bytes were changed after they were read", e);
    }
  }

  /** Returns the offset of the object's opening bracket. */
  public int objectStart() {
    return start();
  }

  /** Returns the offset after the object's closing bracket. */
  public int objectEnd() {
    return end();
  }

  /** Returns the decoded name: two spellings of one name are equal. */
  public String name(int i) {
    return JsonText.decode(bytes(), nameStart(i) + 1, nameEnd(i) - 1);
  }

  /** True if the decoded name equals this; nothing is allocated if it is ASCII without escapes. */
  public boolean isName(int i, String expected) {
    return JsonText.is(bytes(), nameStart(i) + 1, nameEnd(i) - 1, expected);
  }

  /** True if the decoded name has this prefix; nothing is allocated unless it has escapes. */
  public boolean isNamePrefix(int i, String prefix) {
    return JsonText.begins(bytes(), nameStart(i) + 1, nameEnd(i) - 1, prefix);
  }

  /** True if a name is written without escapes, in ASCII. */
  public boolean isPlainName(int i) {
    return JsonText.isPlain(bytes(), nameStart(i) + 1, nameEnd(i) - 1);
  }

  /** True if a plain name is this one in small or capital letters. */
  public boolean isNameFolded(int i, String small) {
    return JsonText.isFolded(bytes(), nameStart(i) + 1, nameEnd(i) - 1, small);
  }

  /**
   * Returns a name as decoders read it that match by case folding; some fold all of Unicode: U+017F
   * is an s to them, U+212A a k.
   */
  public static String folded(String name) {
    return name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
  }

  /** Returns the offset of the name's opening quotation mark. */
  public int nameStart(int i) {
    return itemStart(i);
  }

  /** Returns the offset after the name's closing quotation mark. */
  public int nameEnd(int i) {
    return itemNameEnd(i);
  }

  /** Returns the index of the first member of a name, or -1. */
  public int indexOf(String name) {
    return indexOf(name, 0);
  }

  /** Returns the index of the first member of a name at or after an index, or -1. */
  public int indexOf(String name, int fromIndex) {
    for (int i = fromIndex; i < size(); i++) {
      if (isName(i, name)) {
        return i;
      }
    }
    return -1;
  }

  public int count(String name) {
    int count = 0;
    for (int i = indexOf(name); i >= 0; i = indexOf(name, i + 1)) {
      count++;
    }
    return count;
  }

  /** True if two members have the same name, written alike. */
  public boolean hasRepeatedName() {
    for (int i = 1; i < size(); i++) {
      for (int k = 0; k < i; k++) {
        if (Arrays.equals(bytes(), nameStart(i), nameEnd(i), bytes(), nameStart(k), nameEnd(k))) {
          return true;
        }
      }
    }
    return false;
  }

  private void members(byte[] bytes, int open, int membersMax, int knownEnd) throws InvalidJson {
    begin(bytes, open);
    int at = scanner.space(open + 1);
    if (scanner.peek(at) == '}') {
      finish(at + 1);
      return;
    }
    while (true) {
      at = member(at);
      if (size() > membersMax) {
        throw scanner.refused(Reason.TOO_MANY_MEMBERS, at, "too many members");
      }
      if (finishedIfCut(knownEnd)) {
        return;
      }
      if (scanner.peek(at) == '}') {
        finish(at + 1);
        return;
      }
      at = scanner.token(at, ',');
    }
  }

  private int member(int nameStart) throws InvalidJson {
    int nameEnd = scanner.name(nameStart);
    int valueStart = scanner.token(nameEnd, ':');
    scanner.member(nameStart, nameEnd);
    int valueEnd = scanner.measuredValue(valueStart, 2);
    add(nameStart, nameEnd, valueStart, valueEnd, Math.max(1, scanner.deepest()));
    return scanner.space(valueEnd);
  }
}
