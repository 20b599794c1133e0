package dev.tollgate.server.account;

import java.util.UUID;

/** UUID of a person's account. */
public record UserId(UUID value) {
  @Override
  public String toString() {
    return value.toString();
  }
}
