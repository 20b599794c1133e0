package dev.tollgate.server.wiring;

import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.ledger.BooksWatch;
import dev.tollgate.server.ledger.Leaser;
import dev.tollgate.server.ledger.SettlerListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process does when its books are not those that it knew: it admits nothing more and ends
 * in order. The next start sends what they lack.
 */
final class BooksAlarm implements SettlerListener {
  private static final Logger log = LoggerFactory.getLogger(BooksAlarm.class);

  private final Consumer<Ending> mustEnd;
  private final AtomicLong wentBack = new AtomicLong();
  private volatile @Nullable Leaser leaser;
  private volatile @Nullable BooksWatch watch;

  BooksAlarm(Consumer<Ending> mustEnd) {
    this.mustEnd = mustEnd;
  }

  /** Times that the books went back. */
  long count() {
    return wentBack.get();
  }

  /** They did so before this start. */
  void wentBackBefore() {
    wentBack.incrementAndGet();
    log.warn(
        "the database went back in time, or is another one, since this node used it last: what its"
            + " journal keeps and the database may lack is sent again");
  }

  /** From now on they are watched. */
  void watch(BooksWatch watch, Leaser leaser) {
    this.leaser = leaser;
    this.watch = watch;
  }

  /** They are not those that this process began with. */
  void wentBack(String why) {
    wentBack.incrementAndGet();
    log.error(
        "the database went back in time ({}): nothing is admitted any more, and the next start"
            + " sends again what it lacks",
        why);
    Leaser stopped = leaser;
    if (stopped != null) {
      stopped.stopAdmission("The ledger's database went back in time.");
    }
    mustEnd.accept(Ending.BOOKS_WENT_BACK);
  }

  /** They do not know this process any more. */
  void fenced() {
    BooksWatch judge = watch;
    if (judge != null) {
      Thread.ofVirtual()
          .name("ledger-judge")
          .start(() -> judge.judge(this::takenOver, this::givenUp));
    }
  }

  private void takenOver() {
    log.error("another process took over this node: this one ends");
    mustEnd.accept(Ending.TAKEN_OVER);
  }

  private void givenUp() {
    log.error("this node was not heard of for too long, its leases were freed: it ends");
    mustEnd.accept(Ending.GIVEN_UP);
  }

  // On the settler's thread

  @Override
  public void booked(List<Settlement> settlements, List<Granted> overruns) {
    Leaser grows = leaser;
    if (grows != null) {
      grows.booked(overruns);
    }
  }

  @Override
  public void quarantined(Settlement settlement) {} // the settler logs and counts it

  @Override
  public void turned() {
    BooksWatch turns = watch;
    if (turns != null) {
      turns.turn();
    }
  }
}
