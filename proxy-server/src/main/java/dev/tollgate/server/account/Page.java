package dev.tollgate.server.account;

import java.sql.SQLException;
import java.util.ArrayList;
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

  /** Pattern of a time as the store writes it, for {@link #position(String...)}. */
  public static final String TIME = "[0-9 .:+-]{10,40}";

  /** Pattern of a number that is not negative. */
  public static final String NUMBER = "\\d{1,18}";

  /** Pattern of a UUID. */
  public static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  public Page {
    limit = Math.clamp(limit, 1, LIMIT_MAX);
  }

  /** Query of one part of a list. */
  public interface PartQuery<T> {
    Slice<T> read(Page part) throws SQLException;
  }

  /** Reads part by part until there are {@code max} rows, or no more. */
  public static <T> List<T> upTo(int max, PartQuery<T> query) throws SQLException {
    List<T> rows = new ArrayList<>();
    String position = null;
    do {
      Slice<T> part = query.read(new Page(Math.min(max - rows.size(), LIMIT_MAX), position));
      rows.addAll(part.data());
      position = part.next();
    } while (position != null && rows.size() < max);
    return rows;
  }

  /** Returns the first part. */
  public static Page first(int limit) {
    return new Page(limit, null);
  }

  /**
   * Returns the parts of the position, which {@code |} separates; none at the beginning. Only the
   * last one may contain the separator.
   *
   * @param patterns regular expressions of the parts: the store must not be asked with other texts
   * @throws Refused 400 if the position is none of this list
   */
  public List<String> position(String... patterns) {
    if (position == null) {
      return List.of();
    }
    String[] parts = position.split("\\|", patterns.length);
    boolean isValid = parts.length == patterns.length;
    for (int i = 0; isValid && i < parts.length; i++) {
      isValid = parts[i].matches(patterns[i]);
    }
    if (!isValid) {
      throw Refused.invalid("cursor", "is not a cursor of this list");
    }
    return List.of(parts);
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
  public record Slice<T>(List<T> data, @Nullable String next) {
    /** Returns this part with other rows. */
    public <R> Slice<R> map(Function<T, R> row) {
      return new Slice<>(data.stream().map(row).toList(), next);
    }
  }
}
