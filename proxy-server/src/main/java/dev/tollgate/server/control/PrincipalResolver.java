package dev.tollgate.server.control;

import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Port that finds out who calls. Calls block. */
public interface PrincipalResolver {
  /**
   * Person of a session.
   *
   * @param newCookie value of the cookie that replaces the one of the call; null: none does
   */
  record Identity(Principal principal, @Nullable String newCookie) {
    @Override
    public String toString() {
      return principal.toString();
    }
  }

  /** Resolver of a control plane without accounts. */
  PrincipalResolver NONE =
      new PrincipalResolver() {
        @Override
        public Identity bySession(String cookie, String ip) {
          throw Refused.unauthenticated();
        }

        @Override
        public Principal byToken(String token, String ip) {
          throw Refused.unauthenticated();
        }
      };

  /**
   * Returns the person of a session.
   *
   * @param cookie value of the session cookie
   * @throws Refused 401 if there is no such session, 403 if the account is disabled
   */
  Identity bySession(String cookie, String ip) throws SQLException;

  /**
   * Returns the control token.
   *
   * @param token text behind {@code Bearer}
   * @throws Refused 401 if it is not valid
   */
  Principal byToken(String token, String ip) throws SQLException;
}
