package dev.tollgate.server.explorer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** SQL text that is put together in parts, each with the values of its parameters. */
final class SqlQuery {
  private final StringBuilder text = new StringBuilder();
  private final List<Object> values = new ArrayList<>();

  /**
   * Appends a part.
   *
   * @param its values of the part's parameters; a list of texts is an array of SQL
   */
  SqlQuery add(String part, Object... its) {
    text.append(part).append('\n');
    Collections.addAll(values, its);
    return this;
  }

  SqlQuery add(RequestPredicate.Condition condition) {
    return add(condition.sql(), condition.values().toArray());
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(text.toString());
    try {
      for (int i = 0; i < values.size(); i++) {
        bind(connection, statement, i + 1, values.get(i));
      }
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  private static void bind(
      Connection connection, PreparedStatement statement, int index, Object value)
      throws SQLException {
    switch (value) {
      case List<?> texts ->
          statement.setArray(index, connection.createArrayOf("text", texts.toArray()));
      case Instant at -> statement.setObject(index, at.atOffset(ZoneOffset.UTC));
      default -> statement.setObject(index, value);
    }
  }
}
