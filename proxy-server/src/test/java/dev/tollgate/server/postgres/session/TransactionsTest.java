package dev.tollgate.server.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void aStepRunsBehindTheCommitAndNotBehindARollback() throws SQLException {
    List<String> done = new ArrayList<>();
    String result =
        Transactions.run(
            breaking("none"),
            connection -> {
              Transactions.afterCommit(() -> done.add("outer step"));
              String inner =
                  Transactions.run(
                      connection,
                      _ -> {
                        Transactions.afterCommit(() -> done.add("inner step"));
                        return "inner";
                      });
              done.add(inner);
              return "outer";
            });
    done.add(result);
    assertThat(done).containsExactly("inner step", "inner", "outer step", "outer");

    done.clear();
    assertThatThrownBy(
            () ->
                Transactions.run(
                    breaking("none"),
                    connection -> {
                      Transactions.afterCommit(() -> done.add("step"));
                      throw real;
                    }))
        .isSameAs(real);
    assertThat(done).isEmpty();

    Transactions.afterCommit(() -> done.add("without a transaction"));
    assertThat(done).containsExactly("without a transaction");
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
