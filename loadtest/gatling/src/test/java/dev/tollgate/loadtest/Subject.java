package dev.tollgate.loadtest;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Gateway under load: a running one, or one started for the run. */
sealed interface Subject extends AutoCloseable permits RunningGateway, OwnGateway {

  /** Returns the gateway of the command line, else starts one with these additional settings. */
  static Subject underLoad(List<String> settings) {
    return Knobs.url()
        .<Subject>map(url -> new RunningGateway(url, Knobs.key(), Knobs.adminUrl()))
        .orElseGet(() -> OwnGateway.start(settings));
  }

  /** Returns the base URL, including {@code /v1}. */
  String url();

  String key();

  /** Returns the URL of {@code /metrics}, if known. */
  Optional<String> adminUrl();

  /** True if the ledger balances, or if that cannot be queried. Blocks. */
  boolean booksAddUp();

  /** Returns the live heap bytes after a forced garbage collection, if available. Blocks. */
  OptionalDouble liveHeapBytes();

  @Override
  void close();
}
