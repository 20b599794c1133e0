package dev.tollgate.loadtest;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The gateway under load: one that runs already, or one of our own. */
sealed interface Subject extends AutoCloseable permits RunningGateway, OwnGateway {

  /** What the command line names; else the built one, with these settings on top of the usual. */
  static Subject underLoad(List<String> settings) {
    return Knobs.url()
        .<Subject>map(url -> new RunningGateway(url, Knobs.key(), Knobs.adminUrl()))
        .orElseGet(() -> OwnGateway.start(settings));
  }

  /** Up to and with {@code /v1}. */
  String url();

  String key();

  /** Where {@code /metrics} is, if that is known. */
  Optional<String> adminUrl();

  /** Whether the ledger adds up, as far as that can be asked. Waits for the answer. */
  boolean booksAddUp();

  /** What lives in its heap behind a collection made for this, if that can be had. Waits for it. */
  OptionalDouble liveHeapBytes();

  @Override
  void close();
}
