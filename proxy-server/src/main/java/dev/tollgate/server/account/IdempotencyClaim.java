package dev.tollgate.server.account;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Claim of a call's idempotency key inside the transaction of its change, so that the key is taken
 * exactly if the change is committed. A service begins it before its change and completes it after.
 */
public interface IdempotencyClaim {
  /** The claim of a call without a key. */
  IdempotencyClaim NONE =
      new IdempotencyClaim() {
        @Override
        public void begin(Connection connection) {}

        @Override
        public void complete(Connection connection, Object result, Effect effect) {}
      };

  /** What the call did, which decides the status of its reply. */
  enum Effect {
    CREATED,
    /** What the call would create was there already. */
    FOUND
  }

  /**
   * Takes the key; of two calls at once the later one waits for the other's transaction.
   *
   * @throws RuntimeException that ends the call: with the stored reply of an earlier call, or
   *     refused because the key belongs to another request
   */
  void begin(Connection connection) throws SQLException;

  /**
   * Stores the reply for repeated calls, without the secrets in it.
   *
   * @param result what the reply's JSON is made of
   */
  void complete(Connection connection, Object result, Effect effect) throws SQLException;

  /** Stores the reply of a call that created what it was to create. */
  default void complete(Connection connection, Object result) throws SQLException {
    complete(connection, result, Effect.CREATED);
  }
}
