package dev.tollgate.server.control.route;

import dev.tollgate.core.http.Field;

/**
 * Cookie that holds a session. Scripts cannot read it, and other sites do not send it with changes.
 *
 * @param isSecure true if browsers reach the listener by https: no other host can set it then
 */
public record SessionCookie(boolean isSecure) {
  /** Name of the field that sets a cookie. */
  public static final String FIELD = "Set-Cookie";

  private static final String NAME = "tollgate_session";
  private static final String ATTRIBUTES = "; HttpOnly; SameSite=Lax; Path=/";

  public String name() {
    return isSecure ? "__Host-" + NAME : NAME;
  }

  /** Returns the field that gives a browser its session. */
  public Field set(String value) {
    return field(value, "");
  }

  /** Returns the field that takes the session away from a browser. */
  public Field clear() {
    return field("", "; Max-Age=0");
  }

  private Field field(String value, String more) {
    return new Field(
        FIELD, name() + "=" + value + ATTRIBUTES + (isSecure ? "; Secure" : "") + more);
  }
}
