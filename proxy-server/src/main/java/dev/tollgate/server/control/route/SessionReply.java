package dev.tollgate.server.control.route;

import dev.tollgate.server.account.signin.SessionView;
import dev.tollgate.server.account.signin.SessionView.MembershipView;
import dev.tollgate.server.account.signin.SessionView.SessionLifetime;
import dev.tollgate.server.account.signin.SessionView.UserView;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Session of a signed-in person, and the server that answers.
 *
 * @param operator true if the person has rights over all organizations
 * @param enroll what the person must set up before it may do anything; null: nothing
 */
public record SessionReply(
    UserView user,
    SessionLifetime session,
    List<MembershipView> memberships,
    boolean operator,
    @Nullable String enroll,
    ServerView server)
    implements CallerReply {

  /** Server that answers, and its time. */
  public record ServerView(String version, UUID nodeId, Instant time) {}

  static SessionReply of(SessionView view, ServerView server) {
    return new SessionReply(
        view.user(), view.session(), view.memberships(), view.operator(), null, server);
  }
}
