package dev.tollgate.server.account;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Part of a list to return.
 *
 * @param limit the largest number of rows
 * @param position where the part before ended, as {@link Slice#next} said; null: the beginning
 */
public record Page(int limit, @Nullable String position) {
  public static final int LIMIT_MAX = 200;

  public Page {
    limit = Math.clamp(limit, 1, LIMIT_MAX);
  }

  /** Returns the first part. */
  public static Page first(int limit) {
    return new Page(limit, null);
  }

  /**
   * Returns the parts of the position, which {@code |} separates; empty for the beginning.
   *
   * @throws Refused 400 if the position is none of this list
   */
  public List<String> position(int parts) {
    if (position == null) {
      return List.of();
    }
    List<String> split = List.of(position.split("\\|", -1));
    if (split.size() != parts) {
      throw Refused.invalid("cursor", "is not a cursor of this list");
    }
    return split;
  }

  /** Returns the rows, of which one more than {@link #limit} was read, as a part of the list. */
  public <T> Slice<T> slice(List<T> read, Function<T, String> positionOf) {
    if (read.size() <= limit) {
      return new Slice<>(List.copyOf(read), null);
    }
    List<T> rows = List.copyOf(read.subList(0, limit));
    return new Slice<>(rows, positionOf.apply(rows.getLast()));
  }

  /**
   * Part of a list.
   *
   * @param next the position of the next part; null: this is the last
   */
  public record Slice<T>(List<T> data, @Nullable String next) {}
}
