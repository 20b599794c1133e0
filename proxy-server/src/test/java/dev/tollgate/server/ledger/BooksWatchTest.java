package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.BooksCounts;
import dev.tollgate.core.ledger.BooksIdentity;
import dev.tollgate.core.ledger.Mark;
import dev.tollgate.core.ledger.Marks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Once a second the books are looked at, and told how much of the journal they have. */
class BooksWatchTest {
  private static final BooksIdentity BOOKS = new BooksIdentity("i", "s", "1");
  private static final Holder HOLDER = new Holder(new UUID(0, 1), 5, new UUID(0, 7));

  private final Books books = new Books();
  private final Segments segments = new Segments();
  private final SteppedPauses clock = new SteppedPauses();
  private final List<String> wentBack = new ArrayList<>();
  private final BooksWatch watch =
      new BooksWatch(books, HOLDER, BOOKS, segments, wentBack::add, clock);

  @Test
  void theyAreAskedOnceASecondHoweverOftenTheSettlerTurns() {
    for (int turn = 0; turn < 100; turn++) {
      clock.await(Duration.ofMillis(50));
      watch.turn();
    }
    assertThat(books.looks).isEqualTo(5);
    assertThat(books.raised).isEmpty();
    assertThat(wentBack).isEmpty();
  }

  @Test
  void theyLearnWhatIsSettledAndTheJournalLearnsThatTheyKnow() {
    segments.neededFrom = 4;
    turnAfterASecond();
    turnAfterASecond();
    assertThat(books.raised).containsExactly(4L);
    assertThat(segments.marked).containsExactly(4L);

    segments.neededFrom = 6;
    watch.last();
    assertThat(segments.marked).containsExactly(4L, 6L);
  }

  @Test
  void whileTheyDoNotAnswerNothingIsSaidAndNothingIsNoted() {
    segments.neededFrom = 4;
    books.gone = true;
    turnAfterASecond();
    assertThat(segments.marked).isEmpty();
    assertThat(wentBack).isEmpty();

    books.gone = false;
    turnAfterASecond();
    assertThat(segments.marked).containsExactly(4L);
  }

  @Test
  void booksThatLackABatchAreToldOfOnceAndNeverAgainOfTheJournal() {
    books.count.booked(2);
    books.batches = 1;
    segments.neededFrom = 4;
    turnAfterASecond();
    turnAfterASecond();
    watch.last();
    assertThat(wentBack).containsExactly("of 2 batches of charges they have 1");
    assertThat(segments.marked).isEmpty();
  }

  @Test
  void aBatchThatWasCountedTwiceIsToldOfAtOnce() {
    books.count.booked(2);
    books.count.booked(2);
    watch.turn();
    assertThat(wentBack).hasSize(1);
    assertThat(books.looks).isZero();
  }

  @Test
  void whoIsNotKnownAnyMoreIsJudgedByWhatTheBooksSay() {
    List<String> verdicts = new ArrayList<>();
    Runnable takenOver = () -> verdicts.add("taken over");
    Runnable givenUp = () -> verdicts.add("given up");
    watch.judge(takenOver, givenUp);
    assertThat(verdicts).containsExactly("given up");

    books.epoch = 6;
    watch.judge(takenOver, givenUp);
    assertThat(verdicts).containsExactly("given up", "taken over");
    assertThat(wentBack).isEmpty();

    books.epoch = 3;
    watch.judge(takenOver, givenUp);
    assertThat(verdicts).hasSize(2);
    assertThat(wentBack).hasSize(1);
  }

  @Test
  void aBatchThatIsBookedWhileTheyAreJudgedIsNotMissed() {
    books.afterLook = () -> books.count.booked(1);
    List<String> verdicts = new ArrayList<>();
    watch.judge(() -> verdicts.add("taken over"), () -> verdicts.add("given up"));
    assertThat(verdicts).containsExactly("given up");
    assertThat(wentBack).isEmpty();
  }

  @Test
  void booksThatDoNotSayWhyAreForTheNextStartToJudge() {
    books.gone = true;
    watch.judge(() -> wentBack.add("taken over"), () -> wentBack.add("given up"));
    assertThat(wentBack).containsExactly("they do not know this process and do not say why");
    assertThat(clock.nanoTime()).isEqualTo(Duration.ofSeconds(10).toNanos());
  }

  private void turnAfterASecond() {
    clock.await(Duration.ofSeconds(1));
    watch.turn();
  }

  private static final class Segments implements BooksWatch.Journalled {
    private final List<Long> marked = new ArrayList<>();
    private long neededFrom = 1;

    @Override
    public long neededFrom() {
      return neededFrom;
    }

    @Override
    public void marked(long keptFrom) {
      marked.add(keptFrom);
    }
  }

  private static final class Books implements Marks {
    private final List<Long> raised = new ArrayList<>();
    private final BooksCounts count = new BooksCounts();
    private int looks;
    private boolean gone;
    private Runnable afterLook = () -> {};
    private long epoch = HOLDER.epoch();
    private long batches;
    private long keptFrom = 1;

    @Override
    public Mark look(UUID node) throws BankException {
      if (gone) {
        throw new BankException(BankException.Kind.TRANSIENT, "gone", new Exception("cut"));
      }
      looks++;
      Mark mark = new Mark(BOOKS, epoch, Optional.of(HOLDER.boot()), batches, keptFrom);
      afterLook.run();
      return mark;
    }

    @Override
    public Mark raise(Holder holder, BooksIdentity began, long from) throws BankException {
      if (!gone && batches >= count.heard()) {
        raised.add(from);
        keptFrom = from;
      }
      return look(holder.node());
    }

    @Override
    public BooksCounts counts() {
      return count;
    }
  }
}
