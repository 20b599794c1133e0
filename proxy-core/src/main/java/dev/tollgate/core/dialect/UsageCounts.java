package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;

/**
 * Reads the token counts of one provider usage object and records whether all required counts are
 * valid. Counts that a charge is based on must be present and valid; any other invalid count is
 * read as 0.
 */
public final class UsageCounts {
  private static final long TOKENS_MAX = 100_000_000;
  private static final long BROKEN = -1;
  private static final String COST = "cost";

  private final JsonMembers usage;
  private boolean sound = true;

  UsageCounts(JsonMembers usage) {
    this.usage = usage;
  }

  /** True if all required counts were present and valid. */
  boolean isSound() {
    return sound;
  }

  /** Returns a count that is required. */
  public long required(String name) {
    long count = count(usage, name, BROKEN);
    sound &= count != BROKEN;
    return Math.max(0, count);
  }

  /** Returns a count that is required, under the first of two names that is present. */
  public long requiredOf(String name, String otherwise) {
    return required(usage.indexOf(name) < 0 ? otherwise : name);
  }

  /** Returns a count that is omitted when it is zero; an invalid one is not zero. */
  public long zeroIfAbsent(String name) {
    return usage.indexOf(name) < 0 ? 0 : required(name);
  }

  /** Returns the first positive count of several names; else 0. */
  public long anyOf(String... names) {
    for (String name : names) {
      long count = count(usage, name, 0);
      if (count > 0) {
        return count;
      }
    }
    return 0;
  }

  /** Returns the first positive count of several names inside an object; else 0. */
  public long inside(String object, String... names) {
    int i = usage.indexOf(object);
    return i >= 0 && usage.kind(i) == JsonKind.OBJECT
        ? new UsageCounts(usage.object(i)).anyOf(names)
        : 0;
  }

  /** Returns a count inside an object that is required. */
  public long requiredInside(String object, String name) {
    int i = usage.indexOf(object);
    boolean there = i >= 0 && usage.kind(i) == JsonKind.OBJECT;
    long count = there ? count(usage.object(i), name, BROKEN) : BROKEN;
    sound &= count != BROKEN;
    return Math.max(0, count);
  }

  /**
   * Returns the member {@code cost}, the provider's own cost of the request in decimal USD, as
   * micro-USD; 0 if there is none, or if it is no amount that can be true.
   */
  long reportedCost() {
    int i = usage.indexOf(COST);
    return i >= 0 && usage.kind(i) == JsonKind.NUMBER ? ReportedCost.ofUsd(usage.text(i)) : 0;
  }

  /** Returns the sum over a list of {@code {"modality": …, "tokenCount": …}}. */
  public long ofModality(String list, String modality) {
    return sum(list, "modality", modality, "tokenCount");
  }

  /**
   * Returns the sum of one count over the objects of a list in which {@code member} is {@code
   * text}.
   */
  public long sum(String list, String member, String text, String counted) {
    int i = usage.indexOf(list);
    if (i < 0 || usage.kind(i) != JsonKind.ARRAY) {
      return 0;
    }
    JsonElements details = usage.array(i);
    long sum = 0;
    for (int k = 0; k < details.size(); k++) {
      if (details.kind(k) == JsonKind.OBJECT) {
        JsonMembers detail = details.object(k);
        int named = detail.indexOf(member);
        boolean meant = named >= 0 && detail.isString(named, text);
        sum += meant ? count(detail, counted, 0) : 0;
      }
    }
    return sum;
  }

  private static long count(JsonMembers members, String name, long otherwise) {
    int i = members.indexOf(name);
    if (i < 0) {
      return otherwise;
    }
    long value = members.integer(i, BROKEN);
    return value >= 0 && value <= TOKENS_MAX ? value : otherwise;
  }
}
