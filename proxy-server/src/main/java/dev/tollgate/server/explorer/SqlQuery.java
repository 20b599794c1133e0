package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Statements.RowReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  SqlQuery add(SqlQuery part) {
    return add(part.text.toString(), part.values.toArray());
  }

  /** Appends conditions on the table {@code v}, each behind {@code AND}. */
  SqlQuery add(List<RequestPredicate.Condition> conditions) {
    conditions.forEach(each -> add("AND " + each.sql(), each.values().toArray()));
    return this;
  }

  /**
   * Appends the condition of an organization on the table {@code v}.
   *
   * @param org null for all organizations
   */
  SqlQuery addOrg(@Nullable OrgId org) {
    return org == null ? this : add("AND v.org_id = ?", org.value());
  }

  <T> List<T> list(Connection connection, RowReader<T> reader) throws SQLException {
    return Statements.list(connection, text.toString(), reader, values.toArray());
  }
}
