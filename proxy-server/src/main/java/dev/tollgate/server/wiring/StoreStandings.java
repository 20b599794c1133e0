package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.Offload;
import dev.tollgate.core.ledger.Standing;
import dev.tollgate.core.ledger.Standings;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.server.postgres.PostgresStandings;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Asks the store how keys stand, on a thread that may wait for it. */
record StoreStandings(PostgresStandings books, Offload offload) implements Standings {
  /** After that nobody waits any more. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(2);

  @Override
  public void ask(ApiKey key, Window window, EventExecutor loop, Consumer<Answer> answer) {
    offload.run(
        loop,
        loop.ticker().nanoTime() + WAIT_MAX.toNanos(),
        () -> books.find(key.id(), window),
        outcome -> answer.accept(answer(outcome)));
  }

  private static Answer answer(Offload.Outcome<Optional<Standing>> outcome) {
    return switch (outcome) {
      case Offload.Outcome.Done<Optional<Standing>> done ->
          done.value()
              .<Answer>map(Answer.Known::new)
              .orElseGet(() -> new Answer.Unavailable("the key is not in the store any more"));
      case Offload.Outcome.Refused<Optional<Standing>> refused ->
          new Answer.Unavailable(refused.reason());
      case Offload.Outcome.Failed<Optional<Standing>> failed ->
          new Answer.Unavailable(failed.cause().toString());
    };
  }
}
