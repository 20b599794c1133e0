package dev.tollgate.server.account.tenant;

import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Refused;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Filter and order of a list of API keys.
 *
 * @param states empty: all but revoked
 * @param createdBy such as {@code user:…}; null: anybody
 * @param text the begin of the name, the id or the last four characters; null: any
 */
public record KeyQuery(
    List<String> states, @Nullable String createdBy, @Nullable String text, KeySort sort) {
  public static final List<String> ALL_STATES =
      Arrays.stream(KeyView.State.values()).map(KeyView.State::wire).toList();
  private static final List<String> NOT_REVOKED =
      ALL_STATES.stream().filter(state -> !state.equals(KeyView.State.REVOKED.wire())).toList();
  public static final KeyQuery ALL = new KeyQuery(List.of(), null, null, KeySort.CREATED);

  public KeyQuery {
    if (!ALL_STATES.containsAll(states)) {
      throw Refused.invalid("state", "must be active, disabled, expired or revoked");
    }
    states = states.isEmpty() ? NOT_REVOKED : List.copyOf(states);
  }

  /** Order of a list of keys, descending. */
  public enum KeySort {
    CREATED("k.created_at", "timestamptz", Page.TIME),
    LAST_USED("coalesce(l.at, '-infinity')", "timestamptz", "-infinity|" + Page.TIME),
    SPEND("coalesce(m.used_micro, 0)", "bigint", Page.NUMBER);

    private final String column;
    private final String type;
    private final String pattern;

    KeySort(String column, String type, String pattern) {
      this.column = column;
      this.type = type;
      this.pattern = pattern;
    }

    String column() {
      return column;
    }

    String type() {
      return type;
    }

    /** Returns the pattern of a value in a position. */
    String pattern() {
      return pattern;
    }
  }

  /**
   * Part of a list of keys.
   *
   * @param total number of keys that match
   * @param max the largest number of keys of the organization; 0: no limit
   */
  public record KeyList(List<KeyView> data, long total, int max, @Nullable String next) {}
}
