package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.Bank.Granted;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.LedgerSettings.Batch;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Charges reach the books in order, once each, through failures and around what is poisoned. */
class SettlerTest {
  private static final Duration FLUSH = Duration.ofMillis(50);
  private static final Holder HOLDER = new Holder(new UUID(1, 1), 3, new UUID(2, 2));
  private static final LedgerSettings SETTINGS =
      new LedgerSettings(
          Durability.FSYNC,
          FLUSH,
          new Batch(5, 20),
          new Retention(Duration.ofHours(1), 1),
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          new LedgerSettings.DayRetention(Duration.ofDays(90), Duration.ofDays(35)),
          Duration.ofHours(1));

  private final Waiting waiting = new Waiting();
  private final ScriptedBank bank = new ScriptedBank();
  private final SteppedPauses pauses = new SteppedPauses();
  private final List<Long> quarantine = new ArrayList<>();
  private final Heard heard = new Heard();
  private final Booking booking =
      new Booking(bank, (_, settlement, _) -> quarantine.add(settlement.cost().value()), pauses);
  private long wallMillis = Charged.request().epochMillis();
  private final Settler settler =
      new Settler(
          waiting,
          HOLDER,
          booking,
          heard,
          SETTINGS,
          pauses,
          () -> Instant.ofEpochMilli(wallMillis));

  @Test
  void fewChargesAreSettledEveryFlushInterval() {
    waiting.add(1, 2);
    settler.step();
    settler.step();

    assertThat(bank.booked).containsExactly(1L, 2L);
    assertThat(bank.batches).containsExactly(2);
    assertThat(pauses.taken).containsExactly(FLUSH, FLUSH);
    assertThat(heard.booked).containsExactly(1L, 2L);
  }

  @Test
  void aBacklogIsSettledInFullBatchesWithoutAPause() {
    waiting.add(LongStream.rangeClosed(1, 50).toArray());
    settler.step();
    settler.step();

    assertThat(bank.batches).containsExactly(20, 20);
    assertThat(pauses.taken).isEmpty();
    assertThat(settler.figures().backlog()).isEqualTo(10);
  }

  @Test
  void theSameChargesAreSentAgainWhileTheBooksAreGone() {
    waiting.add(1, 2, 3);
    bank.failures = 8;
    settler.step();

    assertThat(bank.batches).containsExactly(3, 3, 3, 3, 3, 3, 3, 3, 3);
    assertThat(pauses.taken.subList(0, 8).stream().mapToLong(Duration::toMillis))
        .containsExactly(50L, 100L, 200L, 400L, 800L, 1_600L, 2_000L, 2_000L);
    assertThat(bank.booked).containsExactly(1L, 2L, 3L);
    assertThat(settler.figures().lastFlush()).isEqualTo(Duration.ofMillis(7_150));
  }

  @Test
  void aBatchThatTakesTheBooksTooLongIsSentInPartsThatGrowAgain() {
    waiting.add(LongStream.rangeClosed(1, 16).toArray());
    bank.most = 4;
    bank.poison = settlement -> settlement.cost().value() == 6;
    settler.step();
    assertThat(bank.booked).hasSize(15).doesNotContain(6L).isSorted();
    assertThat(quarantine).containsExactly(6L);
    assertThat(waiting.backlog()).isZero();
    assertThat(bank.batches).startsWith(16, 16, 8, 8, 4, 4);

    bank.most = Integer.MAX_VALUE;
    waiting.add(LongStream.rangeClosed(17, 516).toArray());
    while (waiting.backlog() > 0) {
      settler.step();
    }
    assertThat(bank.booked).hasSize(515).isSorted();
    assertThat(bank.batches.getLast()).isEqualTo(20);
  }

  @Test
  void theAgeOfTheOldestGrowsDuringAnOutage() {
    waiting.add(1);
    bank.failures = 3;
    List<Long> ages = new ArrayList<>();
    pauses.during = () -> ages.add(settler.figures().oldest().toMillis());
    settler.step();

    assertThat(ages.subList(0, 3)).containsExactly(50L, 150L, 350L);
    assertThat(settler.figures().oldest()).isZero();
  }

  @Test
  void whatAnOutageLeftIsOldUntilItIsBooked() {
    Duration outage = Duration.ofHours(3);
    wallMillis += outage.toMillis();
    waiting.add(LongStream.rangeClosed(1, 40).toArray());
    settler.step();
    assertThat(waiting.backlog()).isEqualTo(20);
    assertThat(settler.figures().oldest()).isEqualTo(outage);
    assertThat(settler.figures().owed()).isEqualTo(outage);

    settler.step();
    assertThat(settler.figures().oldest()).isZero();
    assertThat(settler.figures().owed()).isZero();
  }

  @Test
  void aLongRequestIsOwedSinceItBeganAndHasNotWaitedForThat() {
    wallMillis += Duration.ofHours(1).toMillis();
    waiting.add(1);
    bank.failures = 1;
    List<Duration> figures = new ArrayList<>();
    pauses.during =
        () -> {
          figures.add(settler.figures().oldest());
          figures.add(settler.figures().owed());
        };
    settler.step();
    assertThat(figures.subList(0, 2)).containsExactly(Duration.ofMillis(50), Duration.ofHours(1));
  }

  @Test
  void whatCannotBeBookedGoesToQuarantineAndNothingElseDoes() {
    waiting.add(LongStream.rangeClosed(1, 16).toArray());
    bank.poison = settlement -> settlement.cost().value() % 7 == 3;
    settler.step();

    assertThat(quarantine).containsExactly(3L, 10L);
    assertThat(heard.quarantined).containsExactly(3L, 10L);
    assertThat(bank.booked).hasSize(14).doesNotContain(3L, 10L).isSorted();
    assertThat(heard.booked).isEqualTo(bank.booked);
    assertThat(waiting.backlog()).isZero();
    assertThat(settler.figures().quarantined()).isEqualTo(2);
  }

  @Test
  void whatComesToMoreThanWasReservedIsCounted() {
    waiting.add(999, 1_000, 1_007, 1_500);
    bank.failures = 1;
    settler.step();

    assertThat(bank.booked).hasSize(4);
    assertThat(settler.figures().overruns()).isEqualTo(2);
    assertThat(settler.figures().overrunMicro()).isEqualTo(507);
  }

  @Test
  void aLineOfTheLogThatIsRefusedTakesNoChargeWithIt() {
    waiting.add(1);
    waiting.queue.add(Charged.charge(Charged.request(), 2, new byte[] {'{'}));
    waiting.add(3);
    bank.poison = settlement -> settlement.row().length > 0;
    settler.step();

    assertThat(quarantine).isEmpty();
    assertThat(bank.booked).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(heard.booked).containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  void aChargeInQuarantineKeepsItsLineOfTheLog() {
    byte[] row = {'{', '}'};
    waiting.queue.add(Charged.charge(Charged.request(), 2, row));
    bank.poison = _ -> true;
    settler.step();

    assertThat(quarantine).containsExactly(2L);
    assertThat(heard.rows).containsExactly(row);
  }

  @Test
  void whoIsStoppedInAnOutageLeavesTheChargesWhereTheyWere() {
    waiting.add(1, 2);
    bank.failures = Integer.MAX_VALUE;
    pauses.during = booking::stop;
    settler.step();

    assertThat(waiting.backlog()).isEqualTo(2);
    assertThat(heard.booked).isEmpty();
  }

  /** Charges without a journal. */
  private static final class Waiting implements Charges {
    private final Deque<Settlement> queue = new ArrayDeque<>();

    void add(long... costs) {
      for (long cost : costs) {
        queue.add(Charged.charge(cost));
      }
    }

    @Override
    public List<Settlement> unbooked(int max) {
      return queue.stream().limit(max).toList();
    }

    @Override
    public void booked(int count) {
      for (int i = 0; i < count; i++) {
        queue.removeFirst();
      }
    }

    @Override
    public long backlog() {
      return queue.size();
    }
  }

  private static final class Heard implements SettlerListener {
    private final List<Long> booked = new ArrayList<>();
    private final List<Long> quarantined = new ArrayList<>();
    private final List<byte[]> rows = new ArrayList<>();

    @Override
    public void booked(List<Settlement> settlements, List<Granted> overruns) {
      settlements.forEach(settlement -> booked.add(settlement.cost().value()));
    }

    @Override
    public void quarantined(Settlement settlement) {
      quarantined.add(settlement.cost().value());
      rows.add(settlement.row());
    }
  }
}
