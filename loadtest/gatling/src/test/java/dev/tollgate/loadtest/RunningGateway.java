package dev.tollgate.loadtest;

import java.util.Optional;
import java.util.OptionalDouble;

/** A gateway that was started separately and stays running. */
record RunningGateway(String url, String key, Optional<String> adminUrl) implements Subject {

  @Override
  public boolean ledgerAddsUp() {
    return true; // only its operator can run the audit
  }

  @Override
  public OptionalDouble liveHeapBytes() {
    return OptionalDouble.empty();
  }

  @Override
  public void close() {}
}
