package dev.tollgate.server.postgres.session;

import dev.tollgate.server.postgres.session.Statements.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * SQL text that is put together in parts, each with the values of its parameters, which are those
 * of {@link Statements}. The parts are texts of the program; what a caller sent is only a value.
 */
public final class SqlParts {
  private final StringBuilder text = new StringBuilder();
  private final List<Object> values = new ArrayList<>();

  /**
   * Appends a part.
   *
   * @param its values of the part's parameters
   */
  public SqlParts add(String part, Object... its) {
    text.append(part).append('\n');
    Collections.addAll(values, its);
    return this;
  }

  public SqlParts add(SqlParts part) {
    return add(part.text.toString(), part.values.toArray());
  }

  /** Condition with the values of its parameters. */
  public interface Condition {
    String sql();

    List<Object> values();
  }

  /** Appends conditions, each behind {@code AND}. */
  public SqlParts and(List<? extends Condition> conditions) {
    conditions.forEach(each -> add("AND " + each.sql(), each.values().toArray()));
    return this;
  }

  /**
   * Appends a condition behind {@code AND} if there is a value.
   *
   * @param value stands for all parameters of the condition; null, or an empty list: there is none
   */
  public SqlParts and(@Nullable Object value, String condition) {
    if (value == null || (value instanceof Collection<?> all && all.isEmpty())) {
      return this;
    }
    for (int at = condition.indexOf('?'); at >= 0; at = condition.indexOf('?', at + 1)) {
      values.add(value);
    }
    return add("AND " + condition);
  }

  /**
   * Appends a condition behind {@code AND} if there are values.
   *
   * @param each one for each parameter of the condition, or none
   */
  public SqlParts andEach(List<String> each, String condition) {
    return each.isEmpty() ? this : add("AND " + condition, each.toArray());
  }

  public <T> List<T> list(Connection connection, RowReader<T> reader) throws SQLException {
    return Statements.list(connection, text.toString(), reader, values.toArray());
  }

  public <T> List<T> list(DataSource pool, RowReader<T> reader) throws SQLException {
    return Statements.list(pool, text.toString(), reader, values.toArray());
  }
}
