package dev.tollgate.core.json;

import org.jspecify.annotations.Nullable;

/**
 * JSON path of a request field, such as {@code messages[2].role}, by which error bodies name it.
 * Paths are persistent: longer ones share their beginning, and the text is built on demand only.
 */
public final class Param {
  private final @Nullable Param parent;
  private final @Nullable String name;
  private final int index;

  private Param(@Nullable Param parent, @Nullable String name, int index) {
    this.parent = parent;
    this.name = name;
    this.index = index;
  }

  /** Returns the path of a top-level member. */
  public static Param of(String name) {
    return new Param(null, name, -1);
  }

  /** Returns the path of a member of the object at this path. */
  public Param dot(String member) {
    return new Param(this, member, -1);
  }

  /** Returns the path of an element of the array at this path. */
  public Param at(int element) {
    return new Param(this, null, element);
  }

  @Override
  public String toString() {
    return beginning(Integer.MAX_VALUE);
  }

  /** Returns the first characters of the path; those behind cost nothing. */
  public String beginning(int charsMax) {
    StringBuilder text = new StringBuilder();
    appendTo(text, charsMax);
    return text.length() <= charsMax ? text.toString() : text.substring(0, charsMax);
  }

  private void appendTo(StringBuilder text, int charsMax) {
    if (parent != null) {
      parent.appendTo(text, charsMax);
    }
    if (text.length() >= charsMax) {
      return;
    }
    if (name == null) {
      text.append('[').append(index).append(']');
    } else {
      text.append(text.isEmpty() ? "" : ".").append(name);
    }
  }
}
