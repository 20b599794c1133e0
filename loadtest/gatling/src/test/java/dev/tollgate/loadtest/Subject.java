package dev.tollgate.loadtest;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The gateway under load: a running one, or one started here. */
sealed interface Subject extends AutoCloseable permits RunningGateway, OwnGateway {

  /**
   * Returns the gateway of the command line; else starts the built one, with these settings besides
   * the usual.
   */
  static Subject underLoad(List<String> settings) {
    return Knobs.url()
        .<Subject>map(url -> new RunningGateway(url, Knobs.key(), Knobs.adminUrl()))
        .orElseGet(() -> OwnGateway.start(settings));
  }

  /** Returns the base URL, ending in {@code /v1}. */
  String url();

  String key();

  /** Returns the URL of {@code /metrics}, if it is known. */
  Optional<String> adminUrl();

  /** Runs the audit of the ledger, if that is possible, and waits for it. */
  boolean ledgerAddsUp();

  /** Returns the live heap after a garbage collection, if that is possible. Waits for it. */
  OptionalDouble liveHeapBytes();

  @Override
  void close();
}
