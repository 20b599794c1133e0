package dev.tollgate.server.control.route;

import java.sql.SQLException;

/** Answer to the calls of one route, on a virtual thread. */
public interface Handler {
  /**
   * Answers a call.
   *
   * @throws dev.tollgate.server.account.Refused if the call is refused
   * @throws SQLException if the store fails; the client gets a 503
   */
  ControlReply handle(ControlRequest request) throws SQLException;
}
