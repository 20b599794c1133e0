package dev.tollgate.server.postgres.session;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Factory of SQL array parameters from one property of many items, and reader of arrays of texts;
 * numbers are sent in binary.
 */
public final class SqlArrays {
  private SqlArrays() {}

  public static <T> Array longs(Connection connection, List<T> all, ToLongFunction<T> number)
      throws SQLException {
    long[] numbers = new long[all.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number.applyAsLong(all.get(i));
    }
    return connection.unwrap(PGConnection.class).createArrayOf("int8", numbers);
  }

  public static <T> Array ints(Connection connection, List<T> all, ToIntFunction<T> number)
      throws SQLException {
    int[] numbers = new int[all.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = number.applyAsInt(all.get(i));
    }
    return connection.unwrap(PGConnection.class).createArrayOf("int4", numbers);
  }

  /** Returns an array of values as text, for types without a binary array. */
  public static <T> Array of(
      Connection connection, String type, List<T> all, Function<T, @Nullable String> text)
      throws SQLException {
    @Nullable String[] texts = new String[all.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = text.apply(all.get(i));
    }
    return connection.createArrayOf(type, texts);
  }

  /** Returns the texts of an array column that is not null. */
  public static List<String> strings(ResultSet row, String column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }
}
