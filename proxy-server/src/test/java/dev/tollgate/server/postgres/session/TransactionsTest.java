package dev.tollgate.server.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

final class TransactionsTest {
  private final SQLException real = new SQLException("the server went away");

  @Test
  void theFirstFailureOfAConnectionIsReported() {
    assertThatThrownBy(
            () ->
                Transactions.run(
                    breaking("rollback"),
                    connection -> {
                      throw real;
                    }))
        .isSameAs(real);
    assertThat(real.getSuppressed()).extracting(Throwable::getMessage).contains("closed");
  }

  @Test
  void whatIsCommittedDidNotFail() throws SQLException {
    assertThat(Transactions.<String>run(breaking("commit"), _ -> "done")).isEqualTo("done");
  }

  /** Returns a connection that closes after the given call. */
  private static Connection breaking(String last) {
    boolean[] closed = {false};
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, method, _) -> {
              if (closed[0]) {
                throw new SQLException("closed");
              }
              closed[0] = method.getName().equals(last);
              return method.getName().equals("getAutoCommit") ? true : null;
            });
  }
}
