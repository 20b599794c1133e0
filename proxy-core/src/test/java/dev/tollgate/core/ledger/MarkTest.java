package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Mark.Verdict;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What books say of themselves and of a node, and what that means for its life. */
class MarkTest {
  private static final BooksIdentity BOOKS = new BooksIdentity("i", "s", "1");
  private static final UUID BOOT = new UUID(0, 7);
  private static final Holder HOLDER = new Holder(new UUID(0, 1), 5, BOOT);

  @Test
  void theSameBooksThatKnowTheLifeAndAllItsBatchesAreTheSame() {
    assertThat(after(mark(BOOKS, 5, BOOT, 9), 9)).isInstanceOf(Verdict.Same.class);
    assertThat(after(mark(BOOKS, 5, BOOT, 10), 9))
        .as("an answer was lost on its way")
        .isInstanceOf(Verdict.Same.class);
  }

  @Test
  void aBatchThatIsGoneAndAStartThatIsGoneWentBack() {
    assertThat(after(mark(BOOKS, 5, BOOT, 8), 9))
        .isEqualTo(new Verdict.WentBack("of 9 batches of charges they have 8"));
    assertThat(after(mark(BOOKS, 4, new UUID(0, 6), 20), 9)).isInstanceOf(Verdict.WentBack.class);
    assertThat(after(new Mark(BOOKS, 0, Optional.empty(), 0, 1), 0))
        .isInstanceOf(Verdict.WentBack.class);
  }

  @Test
  void aPromotedReplicaAndAnotherDatabaseWentBackWhateverTheyKnow() {
    for (BooksIdentity other :
        new BooksIdentity[] {
          new BooksIdentity("i", "s", "2"),
          new BooksIdentity("i", "t", "1"),
          new BooksIdentity("j", "s", "1")
        }) {
      assertThat(after(mark(other, 5, BOOT, 9), 9)).isInstanceOf(Verdict.WentBack.class);
      assertThat(after(mark(other, 6, BOOT, 9), 9)).isInstanceOf(Verdict.WentBack.class);
    }
  }

  @Test
  void whatMayNotBeAskedForDoesNotDiffer() {
    assertThat(BOOKS.differsFrom(new BooksIdentity("i", "", ""))).isFalse();
    assertThat(BOOKS.differsFrom(BooksIdentity.UNKNOWN)).isFalse();
    assertThat(new BooksIdentity("j", "", "").differsFrom(BOOKS)).isTrue();
  }

  @Test
  void aLaterLifeAndAnotherBootTookOver() {
    assertThat(after(mark(BOOKS, 6, new UUID(0, 8), 0), 9)).isInstanceOf(Verdict.TakenOver.class);
    assertThat(after(mark(BOOKS, 5, new UUID(0, 8), 9), 9)).isInstanceOf(Verdict.TakenOver.class);
  }

  @Test
  void aCountThatWasHeardBeforeMeansThatABatchIsLost() {
    BooksCounts count = new BooksCounts();
    count.booked(1);
    count.booked(3);
    assertThat(count.lost()).as("the answer to the second was lost").isEmpty();
    count.booked(3);
    assertThat(count.lost()).isPresent();
    assertThat(count.heard()).isEqualTo(3);
    count.reset();
    assertThat(count.lost()).isEmpty();
  }

  private static Verdict after(Mark mark, long batches) {
    return mark.after(HOLDER, BOOKS, batches);
  }

  private static Mark mark(BooksIdentity books, long epoch, UUID boot, long batches) {
    return new Mark(books, epoch, Optional.of(boot), batches, 1);
  }
}
