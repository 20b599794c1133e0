package dev.tollgate.loadtest;

import java.util.Optional;

/** A gateway that somebody else started, and ends. */
record RunningGateway(String url, String key, Optional<String> adminUrl) implements Subject {

  @Override
  public boolean booksAddUp() {
    return true; // only its operator can ask
  }

  @Override
  public void close() {}
}
