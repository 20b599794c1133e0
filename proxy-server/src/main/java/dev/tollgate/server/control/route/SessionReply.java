package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.server.account.signin.SessionView;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Session of a signed-in person, and the server that answers.
 *
 * @param enroll what the person must set up before it may do anything; null: nothing
 */
public record SessionReply(
    @JsonUnwrapped SessionView session, @Nullable String enroll, ServerView server)
    implements CallerReply {

  /** Server that answers, and its time. */
  public record ServerView(String version, UUID nodeId, Instant time) {}
}
