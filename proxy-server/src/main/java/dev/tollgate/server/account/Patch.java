package dev.tollgate.server.account;

import org.jspecify.annotations.Nullable;

/**
 * Part of a change of an object: a new value of one field, which may be none, or the field stays.
 *
 * @param value the new value if it is given; null: none
 */
public record Patch<T>(boolean isGiven, @Nullable T value) {
  private static final Patch<?> KEEP = new Patch<>(false, null);

  /** Returns the part that leaves a field as it is. */
  @SuppressWarnings("unchecked") // it has no value
  public static <T> Patch<T> keep() {
    return (Patch<T>) KEEP;
  }

  public static <T> Patch<T> set(@Nullable T value) {
    return new Patch<>(true, value);
  }

  /** Returns the field after the change. */
  public @Nullable T or(@Nullable T current) {
    return isGiven ? value : current;
  }
}
