package dev.tollgate.server.explorer;

import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Parameters of a statement that writes many rows, one array for each column, in their order. */
final class Columns<T> {
  private final Connection connection;
  private final PreparedStatement statement;
  private final List<T> rows;
  private int count;

  Columns(Connection connection, PreparedStatement statement, List<T> rows) {
    this.connection = connection;
    this.statement = statement;
    this.rows = rows;
  }

  void number(ToLongFunction<T> value) throws SQLException {
    statement.setArray(++count, SqlArrays.longs(connection, rows, value));
  }

  void text(String type, Function<T, @Nullable String> value) throws SQLException {
    statement.setArray(++count, SqlArrays.of(connection, type, rows, value));
  }

  /** Adds a column whose values may be null. */
  void any(String type, Function<T, @Nullable Object> value) throws SQLException {
    text(
        type,
        each -> {
          Object its = value.apply(each);
          return its == null ? null : its.toString();
        });
  }
}
