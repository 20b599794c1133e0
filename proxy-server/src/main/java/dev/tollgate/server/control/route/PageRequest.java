package dev.tollgate.server.control.route;

import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Page.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Part of a list that a query asks for.
 *
 * @param limit highest number of rows
 * @param position where the page before ended, as its last {@link #next} was made from; null: the
 *     first page
 * @param filters hash of the query's other parameters, to which cursors are bound
 */
public record PageRequest(int limit, @Nullable String position, String filters) {
  static final int LIMIT_MAX = 200;
  static final int LIMIT_INITIAL = 50;

  /** Returns this part as services know it. */
  Page part() {
    return new Page(limit, position);
  }

  /** Returns a part of the list as the page that the query asks for. */
  <T> ListPage<T> page(Slice<T> part) {
    return new ListPage<>(part.data(), nextOrNull(part.next()));
  }

  /** Returns the cursor of the next page; null if there is none. */
  @Nullable String nextOrNull(@Nullable String lastPosition) {
    return lastPosition == null ? null : next(lastPosition);
  }

  /** Returns the cursor of the page that begins behind a position. */
  public String next(String lastPosition) {
    return Cursor.encode(filters, lastPosition);
  }
}
