package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names of the members of an object that are read. Duplicates and case variants of them are
 * refused: readers disagree on which one counts.
 */
public final class MemberNames {
  private static final int COUNT_MAX = Long.SIZE;
  static final int NONE = -1;

  private final String[] names;

  /** For each length of a name, a bit for each name of it: few names have the same length. */
  private final long[] ofLength;

  public MemberNames(Collection<String> names) {
    this.names = names.toArray(String[]::new);
    if (this.names.length > COUNT_MAX) {
      throw new IllegalArgumentException("more than " + COUNT_MAX + " names");
    }
    ofLength = new long[1 + names.stream().mapToInt(String::length).max().orElse(0)];
    for (int k = 0; k < this.names.length; k++) {
      ofLength[this.names[k].length()] |= 1L << k;
    }
  }

  public static MemberNames of(String... names) {
    return new MemberNames(List.of(names));
  }

  public MemberNames without(String name) {
    return new MemberNames(Arrays.stream(names).filter(one -> !one.equals(name)).toList());
  }

  /** True if a member has one of these names; nothing is allocated if its name is plain. */
  public boolean contains(JsonMembers object, int i) {
    return indexOf(object, i) != NONE;
  }

  /**
   * Reports duplicates and case variants under their names as written. Returns true if the object
   * has other members.
   *
   * @param param path of the object; null for a body
   */
  public boolean check(JsonMembers object, @Nullable Param param, Issues issues) {
    boolean hasOthers = false;
    long seen = 0;
    for (int i = 0; i < object.size(); i++) {
      int at = indexOf(object, i);
      if (at == NONE) {
        hasOthers = true;
        variant(object, i, param, issues);
      } else if ((seen & (1L << at)) != 0) {
        issues.add(path(object, i, param), "is given twice");
      } else {
        seen |= 1L << at;
      }
    }
    return hasOthers;
  }

  /** Returns the index of a member's name among these, or {@value #NONE}. */
  int indexOf(JsonMembers object, int i) {
    for (long left = sameLength(object, i); left != 0; left &= left - 1) {
      int k = Long.numberOfTrailingZeros(left);
      if (object.isName(i, names[k])) {
        return k;
      }
    }
    return object.isPlainName(i) ? NONE : indexOf(object.name(i));
  }

  /** Returns a bit for each name that is as long as a member's name is without escapes. */
  private long sameLength(JsonMembers object, int i) {
    int length = object.nameEnd(i) - object.nameStart(i) - 2;
    return length < ofLength.length ? ofLength[length] : 0;
  }

  private int indexOf(String name) {
    for (int k = 0; k < names.length; k++) {
      if (names[k].equals(name)) {
        return k;
      }
    }
    return NONE;
  }

  private void variant(JsonMembers object, int i, @Nullable Param param, Issues issues) {
    int at = indexOfFolded(object, i);
    if (at != NONE) {
      issues.add(path(object, i, param), "is a case variant of " + names[at]);
    }
  }

  private int indexOfFolded(JsonMembers object, int i) {
    if (!object.isPlainName(i)) {
      return indexOf(JsonMembers.folded(object.name(i)));
    }
    for (long left = sameLength(object, i); left != 0; left &= left - 1) {
      int k = Long.numberOfTrailingZeros(left);
      if (object.isNameFolded(i, names[k])) {
        return k;
      }
    }
    return NONE;
  }

  private static Param path(JsonMembers object, int i, @Nullable Param param) {
    String name = object.name(i);
    return param == null ? Param.of(name) : param.dot(name);
  }
}
