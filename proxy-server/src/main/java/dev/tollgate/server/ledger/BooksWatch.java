package dev.tollgate.server.ledger;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.BooksIdentity;
import dev.tollgate.core.ledger.Mark;
import dev.tollgate.core.ledger.Mark.Verdict;
import dev.tollgate.core.ledger.Marks;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks once a second whether the books are still those that this life began with, with all that it
 * settled to them, and tells them how much of the journal they have. On the settler's thread:
 * between two batches nothing is under way that could count.
 */
public final class BooksWatch {
  private static final Logger log = LoggerFactory.getLogger(BooksWatch.class);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration JUDGE_AGAIN = Duration.ofMillis(200);
  private static final int JUDGEMENTS_MAX = 50;

  private final Marks marks;
  private final Holder holder;
  private final BooksIdentity began;
  private final Journalled journal;
  private final Consumer<String> wentBack;
  private final Pauses pauses;
  private final AtomicBoolean told = new AtomicBoolean();
  private long marked;
  private long lookedNanos;

  /** The journal, as far as the books must know it. */
  interface Journalled {
    /** All charges before this segment are booked. */
    long neededFrom();

    /** The books know that. */
    void marked(long keptFrom);
  }

  BooksWatch(
      Marks marks,
      Holder holder,
      BooksIdentity began,
      Journalled journal,
      Consumer<String> wentBack,
      Pauses pauses) {
    this.marks = marks;
    this.holder = holder;
    this.began = began;
    this.journal = journal;
    this.wentBack = wentBack;
    this.pauses = pauses;
    this.marked = journal.neededFrom();
    this.lookedNanos = pauses.nanoTime();
  }

  /**
   * A watch for one life.
   *
   * @param began the books that this life began with
   * @param wentBack called once, with the reason: nothing more may be admitted
   */
  public static BooksWatch over(
      Marks marks,
      Holder holder,
      BooksIdentity began,
      LocalJournal journal,
      Consumer<String> wentBack) {
    return new BooksWatch(marks, holder, began, journal, wentBack, Pauses.ofMachine());
  }

  /** Looks if it is time to. On the settler's thread. */
  public void turn() {
    if (told.get()) {
      return;
    }
    Optional<String> lost = marks.counts().lost();
    if (lost.isPresent()) {
      tell(lost.get());
    } else if (pauses.nanoTime() - lookedNanos >= LOOK.toNanos()) {
      lookedNanos = pauses.nanoTime();
      look();
    }
  }

  /** When the settler has ended: the books learn the last that is booked. */
  public void last() {
    if (!told.get()) {
      look();
    }
  }

  /** Whether that was found. */
  public boolean hasTold() {
    return told.get();
  }

  private void look() {
    long from = journal.neededFrom();
    long heard = marks.counts().heard();
    try {
      Mark mark = from > marked ? marks.raise(holder, began, from) : marks.look(holder.node());
      switch (mark.after(holder, began, heard)) {
        case Verdict.Same _ -> {
          if (from > marked && mark.keptFrom() >= from) {
            marked = from;
            journal.marked(from);
          }
        }
        case Verdict.WentBack(String why) -> tell(why);
        case Verdict.TakenOver _ -> {} // the next sign of life says so too
      }
    } catch (BankException e) {
      log.debug("the books do not say which they are", e);
    }
  }

  private void tell(String why) {
    if (told.compareAndSet(false, true)) {
      wentBack.accept(why);
    }
  }

  /**
   * The books do not let this life spend any more: they went back, another process took over, or
   * they gave it up. Waits a while for their answer.
   */
  public void judge(Runnable takenOver, Runnable givenUp) {
    switch (judge()) {
      case Verdict.WentBack(String why) -> tell(why);
      case Verdict.TakenOver _ -> takenOver.run();
      case Verdict.Same _ -> givenUp.run();
    }
  }

  private Verdict judge() {
    for (int i = 0; i < JUDGEMENTS_MAX; i++) {
      try {
        long heard = marks.counts().heard(); // before they answer: a batch may come between
        return marks.look(holder.node()).after(holder, began, heard);
      } catch (BankException e) {
        log.debug("the books do not say which they are", e);
        pauses.await(JUDGE_AGAIN);
      }
    }
    // A start finds out; after a restored backup of an older version they cannot even say.
    return new Verdict.WentBack("they do not know this process and do not say why");
  }
}
