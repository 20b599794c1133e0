package dev.tollgate.server.postgres.session;

import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.StoreException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Data source of the one session of a command: borrowers get it one after the other, and give it
 * back by closing it. To connect costs more than most commands ask.
 */
public final class CommandSession extends PGSimpleDataSource implements AutoCloseable {
  private static final long serialVersionUID = 1;
  private static final int SOCKET_TIMEOUT_MILLIS = 12_000;

  private final transient Connection session;
  private transient boolean isLent;

  private CommandSession(Connection session) {
    this.session = session;
  }

  /** Connects, and prepares the database under the migration lock, in the same session. */
  public static CommandSession open(DatabaseAddress address, Migrations.UnderLock<?> prepare)
      throws StoreException {
    Connection session = null;
    try {
      session = Migrations.plain(address).getConnection();
      Migrations.locked(session, prepare);
      try (Statement statement = session.createStatement()) {
        statement.execute(Migrations.UNLOCK + ConnectionPool.SESSION);
      }
      session.setNetworkTimeout(Runnable::run, SOCKET_TIMEOUT_MILLIS);
      return new CommandSession(session);
    } catch (SQLException e) {
      close(session);
      throw Migrations.unusable(address, e);
    } catch (StoreException | RuntimeException e) {
      close(session);
      throw e;
    }
  }

  @Override
  public Connection getConnection() {
    if (isLent) {
      throw new IllegalStateException("the session of a command is in use");
    }
    isLent = true;
    return (Connection)
        Proxy.newProxyInstance(
            CommandSession.class.getClassLoader(), new Class<?>[] {Connection.class}, new Loan());
  }

  /** What a borrower has: the session, which closing gives back. */
  private final class Loan implements InvocationHandler {
    private boolean isOver;

    @Override
    public @Nullable Object invoke(
        Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
      if (method.getName().equals("close")) {
        giveBack();
        return null;
      }
      try {
        return method.invoke(session, arguments);
      } catch (InvocationTargetException e) {
        throw e.getTargetException();
      }
    }

    private void giveBack() throws SQLException {
      if (isOver) {
        return;
      }
      isOver = true;
      isLent = false;
      if (!session.isClosed() && !session.getAutoCommit()) {
        session.rollback();
        session.setAutoCommit(true);
      }
    }
  }

  @Override
  public void close() {
    close(session);
  }

  private static void close(@Nullable Connection session) {
    try {
      if (session != null) {
        session.close();
      }
    } catch (SQLException _) {
      // the server ends it with its socket
    }
  }
}
