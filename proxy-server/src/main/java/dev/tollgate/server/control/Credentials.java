package dev.tollgate.server.control;

import dev.tollgate.core.http.Headers;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import java.util.Locale;

/** Credentials in the head of a call. */
sealed interface Credentials {
  /** No credentials. */
  record None() implements Credentials {}

  /** Value of the session cookie. */
  record Session(String value) implements Credentials {
    @Override
    public String toString() {
      return "Session[***]";
    }
  }

  /** Bearer token; cookies beside it are not read. */
  record Bearer(String token) implements Credentials {
    @Override
    public String toString() {
      return "Bearer[***]";
    }
  }

  /** Returns the credentials of a head; several session cookies count as none. */
  static Credentials of(Headers headers, String cookieName) {
    String authorization = headers.first("authorization");
    if (authorization != null) {
      boolean isBearer = authorization.toLowerCase(Locale.ROOT).startsWith("bearer ");
      return new Bearer(isBearer ? authorization.substring(7).strip() : "");
    }
    String cookies = headers.count("cookie") == 1 ? headers.first("cookie") : null;
    if (cookies == null) {
      return new None();
    }
    var sessions =
        ServerCookieDecoder.STRICT.decodeAll(cookies).stream()
            .filter(cookie -> cookie.name().equals(cookieName))
            .map(Cookie::value)
            .toList();
    return sessions.size() == 1 ? new Session(sessions.getFirst()) : new None();
  }
}
