package dev.tollgate.server.control.route;

import dev.tollgate.core.http.Field;
import dev.tollgate.server.account.signin.RandomSecret;
import dev.tollgate.server.account.signin.SessionView;
import dev.tollgate.server.account.signin.SignedIn;
import dev.tollgate.server.control.route.SessionReply.ServerView;
import java.util.function.Supplier;

/**
 * Replies that give a browser its session or take it away.
 *
 * @param server the server that answers, asked at each reply
 */
public record SessionReplies(SessionCookie cookie, Supplier<ServerView> server) {
  /** Lets the browser forget what it keeps of the dashboard's pages. */
  private static final Field CLEAR_SITE_DATA =
      new Field("Clear-Site-Data", "\"cache\", \"storage\"");

  SessionReply of(SessionView view) {
    return new SessionReply(view, null, server.get());
  }

  /** Returns the reply to a person who has just signed in. */
  ControlReply signedIn(ControlRequest call, SignedIn signedIn) {
    return ControlReply.json(call.route().status(), of(signedIn.session()))
        .with(setCookie(signedIn.cookie()));
  }

  /** Returns the reply to a person whose session continues with another cookie. */
  ControlReply continued(RandomSecret cookie) {
    return ControlReply.noContent().with(setCookie(cookie));
  }

  /** Returns the reply to a person whose session has ended. */
  ControlReply signedOut() {
    return ControlReply.noContent().with(cookie.clear()).with(CLEAR_SITE_DATA);
  }

  private Field setCookie(RandomSecret value) {
    return cookie.set(value.reveal());
  }
}
