package dev.tollgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Budgets of refused requests with a clock that only the test moves. */
final class RefusalBudgetsTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final ApiKey KEY = key("onekey01", KeyLimits.DEFAULT);

  private LimitRules rules = rules(50, 3_000);
  private final RefusalBudgets budgets = new RefusalBudgets(() -> rules);
  private long now = -5 * SECOND;

  @Test
  void aKeyHasFiveTimesItsRate() {
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).isEqualTo(250);
    now += 4 * MILLI - 1;
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).isZero();
    now += 1;
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).isEqualTo(1);
    now += SECOND;
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).isEqualTo(250);
  }

  @Test
  void keysDoNotUseUpEachOthersBudget() {
    refusedUntilTheBudgetIsEmpty(KEY, true);
    ApiKey other = key("otherkey", KeyLimits.DEFAULT);
    assertThat(refusedUntilTheBudgetIsEmpty(other, true)).isEqualTo(250);
  }

  @Test
  void aKeyWithALowRateHasFiftyASecond() {
    ApiKey slow = key("slowkey1", own(1, null));
    assertThat(refusedUntilTheBudgetIsEmpty(slow, true)).isEqualTo(50);
    now += 20 * MILLI;
    assertThat(refusedUntilTheBudgetIsEmpty(slow, true)).isEqualTo(1);
  }

  @Test
  void aKeyWithoutARateIsLimitedOnlyWhileItMayNotBeUsed() {
    ApiKey free = key("freekey1", own(0, 0));
    assertThat(draw(free, true, new RefusalToken())).isNull();
    assertThat(refusedUntilTheBudgetIsEmpty(free, false)).isEqualTo(50);
    RefusalToken token = new RefusalToken();
    assertThat(draw(free, true, token)).as("usable").isNull();
    token.giveBack();
    assertThat(refusedUntilTheBudgetIsEmpty(free, false)).as("nothing was held").isZero();
  }

  @Test
  void aKeyWithARatePerMinuteOnlyMaySendAMinutesRequestsAtOnce() {
    ApiKey perMinute = key("minute01", own(0, 3_000));
    assertThat(refusedUntilTheBudgetIsEmpty(perMinute, true)).isEqualTo(3_000);
    now += 4 * MILLI;
    assertThat(refusedUntilTheBudgetIsEmpty(perMinute, true)).as("250 a second").isEqualTo(1);
    ApiKey unusable = key("minute02", own(0, 3_000));
    assertThat(refusedUntilTheBudgetIsEmpty(unusable, false)).isEqualTo(250);
  }

  @Test
  void aTokenIsGivenBackOnce() {
    RefusalToken token = new RefusalToken();
    assertThat(draw(KEY, true, token)).isNull();
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).isEqualTo(249);
    token.giveBack();
    token.giveBack();
    token.keep();
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).isEqualTo(1);
  }

  @Test
  void changedLimitsActAtOnce() {
    refusedUntilTheBudgetIsEmpty(KEY, true);
    rules = rules(100, 0);
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).as("empty stays empty").isZero();
    now += 2 * MILLI;
    assertThat(refusedUntilTheBudgetIsEmpty(KEY, true)).isEqualTo(1);
    rules = rules(0, 0);
    assertThat(draw(KEY, true, new RefusalToken())).isNull();
  }

  @Test
  void theRefusalSaysWhenToComeBack() {
    refusedUntilTheBudgetIsEmpty(KEY, true);
    Fault fault = draw(KEY, true, new RefusalToken());
    assertThat(fault).isNotNull();
    assertThat(fault.code()).isEqualTo(ErrorCode.RATE_LIMITED);
    assertThat(fault.retryAfterSeconds()).isEqualTo(1);
    assertThat(fault.details())
        .containsEntry("scope", "refusals")
        .containsEntry("limit", 250L)
        .containsEntry("unit", "requests_per_second");
  }

  @Test
  void theTableOfKeysIsBounded() {
    for (int n = 0; n < RefusalBudgets.KEYS_MAX + 5_000; n++) {
      draw(key("k" + n, KeyLimits.DEFAULT), true, new RefusalToken());
    }
    assertThat(budgets.size()).isLessThanOrEqualTo(RefusalBudgets.KEYS_MAX);
  }

  /** A client that stays within its limits, in bursts, with requests that run for long. */
  @Test
  void aClientWithinItsLimitsIsNeverRefused() {
    Clients clients = new Clients(50, true);
    for (int second = 0; second < 60; second++) {
      for (int n = 0; n < 50; n++) {
        clients.askAt(second * SECOND, 0);
      }
    }
    clients.run(60 * SECOND);
    assertThat(clients.admitted).isEqualTo(3_000);
    assertThat(clients.limited + clients.overBudget).isZero();
  }

  /** Clients that repeat each 429 after its time are served as much as without the budget. */
  @Test
  void clientsThatWaitBeforeTheyRetryGetTheirWholeRate() {
    for (int workers : new int[] {60, 300, 1_000, 5_000}) {
      for (long spread : new long[] {0, SECOND}) {
        Clients without = retrying(workers, spread, false);
        Clients with = retrying(workers, spread, true);
        assertThat(with.admitted)
            .as("%d workers, begun within %d ns, %s", workers, spread, without.admitted)
            .isGreaterThanOrEqualTo(without.admitted * 99 / 100);
        if (workers <= 250) {
          assertThat(with.overBudget).as("%d workers", workers).isZero();
        }
      }
    }
  }

  private Clients retrying(int workers, long spread, boolean budgeted) {
    Clients clients = new Clients(50, budgeted);
    for (int n = 0; n < workers; n++) {
      clients.askAt(spread * n / workers, SECOND);
    }
    clients.run(30 * SECOND);
    return clients;
  }

  /** Simulated clients of one key; a request is decided when all that arrived with it are held. */
  private static final class Clients {
    private final PriorityQueue<Worker> due = new PriorityQueue<>();
    private final LimitRules rules;
    private final boolean budgeted;
    private final LimitSet limits;
    private final RefusalBudgets budgets;
    private final LocalCounters counters;
    private final ApiKey key = key("simulate", KeyLimits.DEFAULT);
    private long now;
    private int admitted;
    private int limited;
    private int overBudget;

    private record Worker(long atNanos, long retryNanos) implements Comparable<Worker> {
      @Override
      public int compareTo(Worker other) {
        return Long.compare(atNanos, other.atNanos);
      }
    }

    Clients(long perSecond, boolean budgeted) {
      this.rules = rules(perSecond, 0);
      this.budgeted = budgeted;
      this.budgets = new RefusalBudgets(() -> rules);
      this.limits = rules.limitSet(key, null);
      this.counters = new LocalCounters(() -> now, 100);
    }

    void askAt(long atNanos, long retryNanos) {
      due.add(new Worker(atNanos, retryNanos));
    }

    void run(long untilNanos) {
      while (!due.isEmpty() && due.peek().atNanos < untilNanos) {
        Worker worker = due.remove();
        now = worker.atNanos;
        boolean served = ask();
        if (worker.retryNanos > 0) {
          due.add(new Worker(now + (served ? SECOND / 10 : worker.retryNanos), worker.retryNanos));
        }
      }
    }

    private boolean ask() {
      RefusalToken token = new RefusalToken();
      if (budgeted && budgets.draw(token, key, true, now) != null) {
        overBudget++;
        return false;
      }
      Acquire acquire = new Acquire(RequestId.at(1), limits, 1, 0);
      boolean[] granted = {false};
      counters.acquire(
          acquire,
          Runnable::run,
          result -> granted[0] = result instanceof AcquireResult.AllAcquired);
      if (granted[0]) {
        token.giveBack();
        admitted++;
      } else {
        token.keep();
        limited++;
      }
      return granted[0];
    }
  }

  /** Returns how many requests are refused for another reason before the budget refuses. */
  private int refusedUntilTheBudgetIsEmpty(ApiKey key, boolean usable) {
    int refused = 0;
    while (true) {
      RefusalToken token = new RefusalToken();
      if (draw(key, usable, token) != null) {
        return refused;
      }
      token.keep();
      refused++;
    }
  }

  private @Nullable Fault draw(ApiKey key, boolean usable, RefusalToken token) {
    return budgets.draw(token, key, usable, now);
  }

  private static LimitRules rules(long perSecond, long perMinute) {
    return new LimitRules(
        Rates.OFF,
        Rates.OFF,
        new PerKey(new Rates(perSecond, perMinute), 0, 0),
        Rates.OFF,
        Map.of());
  }

  private static KeyLimits own(@Nullable Integer perSecond, @Nullable Integer perMinute) {
    return new KeyLimits(perSecond, perMinute, null, null, null, null);
  }

  private static ApiKey key(String id, KeyLimits limits) {
    ApiKey known = TestCatalog.key();
    return new ApiKey(
        new KeyId(id),
        known.name(),
        known.lastFour(),
        known.org(),
        known.state(),
        null,
        known.scope(),
        limits);
  }
}
