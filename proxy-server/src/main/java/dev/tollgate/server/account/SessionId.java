package dev.tollgate.server.account;

import java.util.UUID;

/** UUID of a browser session, which is no secret; the cookie is. */
public record SessionId(UUID value) {
  @Override
  public String toString() {
    return value.toString();
  }
}
