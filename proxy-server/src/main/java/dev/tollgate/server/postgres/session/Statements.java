package dev.tollgate.server.postgres.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runner of single statements with their values. An {@link Instant} is a timestamptz, a collection
 * an array of text, and null has the type of its place.
 */
public final class Statements {
  private Statements() {}

  /** Reader of the present row of a result. */
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  public static <T> List<T> list(
      Connection connection, String sql, RowReader<T> reader, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement select = prepared(connection, sql, values);
        ResultSet row = select.executeQuery()) {
      List<T> rows = new ArrayList<>();
      while (row.next()) {
        rows.add(reader.read(row));
      }
      return rows;
    }
  }

  /** Runs one query on a connection of its own. */
  public static <T> List<T> list(
      DataSource pool, String sql, RowReader<T> reader, @Nullable Object... values)
      throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return list(connection, sql, reader, values);
    }
  }

  public static <T> Optional<T> first(
      Connection connection, String sql, RowReader<T> reader, @Nullable Object... values)
      throws SQLException {
    return list(connection, sql, reader, values).stream().findFirst();
  }

  /** Returns whether a query has a row. */
  public static boolean exists(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    return !list(connection, sql, _ -> true, values).isEmpty();
  }

  /** Locks a number until the transaction ends, as a name for what only one may do at a time. */
  public static void lock(Connection connection, long number) throws SQLException {
    List<Object> _ = list(connection, "SELECT pg_advisory_xact_lock(?)", _ -> number, number);
  }

  /** Runs a change; returns the number of changed rows. */
  public static int update(Connection connection, String sql, @Nullable Object... values)
      throws SQLException {
    try (PreparedStatement update = prepared(connection, sql, values)) {
      return update.executeUpdate();
    }
  }

  private static PreparedStatement prepared(
      Connection connection, String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    try {
      for (int i = 0; i < values.length; i++) {
        set(statement, i + 1, values[i]);
      }
      return statement;
    } catch (SQLException | RuntimeException e) {
      statement.close();
      throw e;
    }
  }

  private static void set(PreparedStatement statement, int index, @Nullable Object value)
      throws SQLException {
    switch (value) {
      case null -> statement.setObject(index, null);
      case Instant instant -> statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
      case Collection<?> texts ->
          statement.setArray(
              index, statement.getConnection().createArrayOf("text", texts.toArray()));
      default -> statement.setObject(index, value);
    }
  }

  public static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  /** Returns a time that is never null. */
  public static Instant requiredInstant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  public static @Nullable Long number(ResultSet row, String column) throws SQLException {
    return row.getObject(column, Long.class);
  }

  public static @Nullable Integer integer(ResultSet row, String column) throws SQLException {
    return row.getObject(column, Integer.class);
  }

  /** Returns an array of text, sorted. */
  public static List<String> texts(ResultSet row, String column) throws SQLException {
    String[] texts = (String[]) row.getArray(column).getArray();
    return List.of(texts).stream().sorted().toList();
  }
}
