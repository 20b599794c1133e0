package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import org.jspecify.annotations.Nullable;

/**
 * Member of a chat chunk's delta that contains text to append, such as the content or the
 * reasoning. The text of each member is appended separately.
 */
public enum DeltaText {
  CONTENT("content"),
  REASONING_CONTENT("reasoning_content"),
  REASONING("reasoning"),
  REFUSAL("refusal");

  private static final DeltaText[] ALL = values();

  private final String member;

  DeltaText(String member) {
    this.member = member;
  }

  public String member() {
    return member;
  }

  public boolean isName(JsonMembers delta, int i) {
    return delta.isName(i, member);
  }

  public boolean isIn(JsonMembers delta) {
    return delta.indexOf(member) >= 0;
  }

  /**
   * Returns the other member name that providers use for the same text, or this one if there is
   * none.
   */
  DeltaText twin() {
    return switch (this) {
      case REASONING -> REASONING_CONTENT;
      case REASONING_CONTENT -> REASONING;
      case CONTENT, REFUSAL -> this;
    };
  }

  /** Returns the text that a member carries; null if it carries none or occurs twice. */
  static @Nullable public DeltaText of(JsonMembers delta, int i) {
    if (delta.kind(i) != JsonKind.STRING) {
      return null;
    }
    for (DeltaText text : ALL) {
      if (delta.isName(i, text.member)) {
        return delta.count(text.member) == 1 ? text : null;
      }
    }
    return null;
  }
}
