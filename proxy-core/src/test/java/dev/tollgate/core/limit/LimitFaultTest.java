package dev.tollgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.testkit.TestAcquires;
import dev.tollgate.core.testkit.TestFields;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Limits as clients see them: 429s and headers. */
class LimitFaultTest {
  private static final BucketAmount SECOND = take(LimitScope.KEY, Unit.REQUESTS_PER_SECOND, 50, 1);
  private static final BucketAmount MINUTE =
      take(LimitScope.ORGANIZATION, Unit.REQUESTS_PER_MINUTE, 600, 1);
  private static final BucketAmount TOKENS =
      take(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 6_000, 500);
  private static final Acquire DRAW =
      TestAcquires.of(RequestId.at(0), List.of(SECOND, MINUTE, TOKENS), new Slot.Limited("k", 7));
  private static final Level PLENTY = new Level(5_000, 0);

  @Test
  void theFirstRefusingBucketGivesTheCodeAndAllOfThemTheWait() {
    Fault fault = fault(PLENTY, new Level(0, 100_000), new Level(300, 2_000_001));
    assertThat(fault.code()).isEqualTo(ErrorCode.RATE_LIMITED);
    assertThat(fault.message())
        .isEqualTo("The organization's limit of 600 requests per minute is used up.");
    assertThat(fault.retryAfterSeconds()).isEqualTo(3);
    assertThat(fault.shouldRetry()).isTrue();
    assertThat(fault.details())
        .isEqualTo(
            Map.of(
                "scope", "organization",
                "limit", 600L,
                "unit", "requests_per_minute",
                "remaining", 0L,
                "reset", "1m0s"));
  }

  @Test
  void tokenFaultsNameTheRequestedAmount() {
    Fault fault = fault(PLENTY, PLENTY, new Level(-300, 8_000_000));
    assertThat(fault.code()).isEqualTo(ErrorCode.TOKENS_PER_MINUTE_EXCEEDED);
    assertThat(fault.retryAfterSeconds()).isEqualTo(8);
    assertThat(fault.details())
        .containsEntry("requested", 500L)
        .containsEntry("remaining", 0L)
        .containsEntry("reset", "1m3s");
  }

  @Test
  void theSlotRefusesWhereNoBucketDoes() {
    Fault fault = fault(PLENTY, PLENTY, PLENTY);
    assertThat(fault.code()).isEqualTo(ErrorCode.CONCURRENCY_EXCEEDED);
    assertThat(fault.retryAfterSeconds()).isOne();
    assertThat(fault.details()).containsEntry("limit", 7).containsEntry("unit", "concurrency");
  }

  @Test
  void aWaitIsAtLeastASecondAndAtMostAMinute() {
    assertThat(fault(new Level(0, 1), PLENTY, PLENTY).retryAfterSeconds()).isOne();
    assertThat(fault(PLENTY, PLENTY, new Level(-1L << 40, 1L << 50)).retryAfterSeconds())
        .isEqualTo(60);
  }

  @Test
  void whatNeverFitsIsNotToBeRetried() {
    Fault fault = LimitFault.neverFits(TOKENS.bucket(), 6_001);
    assertThat(fault.code()).isEqualTo(ErrorCode.TOKENS_PER_MINUTE_EXCEEDED);
    assertThat(fault.shouldRetry()).isFalse();
    assertThat(fault.retryAfterSeconds()).isEqualTo(60);
    assertThat(fault.details()).containsEntry("limit", 6_000L).containsEntry("requested", 6_001L);
  }

  @Test
  void headersShowTheKeysMinuteElseItsSecond() {
    assertThat(fields(DRAW, new Level(30, 0), PLENTY, new Level(5_400, 0)))
        .containsExactly(
            new Field("x-ratelimit-limit-requests", "50"),
            new Field("x-ratelimit-remaining-requests", "30"),
            new Field("x-ratelimit-reset-requests", "0.4s"),
            new Field("x-ratelimit-limit-tokens", "6000"),
            new Field("x-ratelimit-remaining-tokens", "5400"),
            new Field("x-ratelimit-reset-tokens", "6s"));
    BucketAmount minute = take(LimitScope.KEY, Unit.REQUESTS_PER_MINUTE, 600, 1);
    Acquire both = TestAcquires.of(RequestId.at(0), List.of(SECOND, minute), new Slot.Unlimited());
    assertThat(fields(both, new Level(49, 0), new Level(588, 0)))
        .containsExactly(
            new Field("x-ratelimit-limit-requests", "600"),
            new Field("x-ratelimit-remaining-requests", "588"),
            new Field("x-ratelimit-reset-requests", "1.2s"));
  }

  @Test
  void limitsOfOthersAreNotShown() {
    Acquire acquire = TestAcquires.of(RequestId.at(0), List.of(MINUTE), new Slot.Unlimited());
    assertThat(LimitFields.of(acquire, List.of(PLENTY))).isEmpty();
  }

  @Test
  void resetsAreRoundedUp() {
    assertThat(List.of(0L, 1L, 20_000L, 1_200_000L, 8_640_000L, 59_999_000L))
        .extracting(ResetTime::text)
        .containsExactly("0s", "0.001s", "0.02s", "1.2s", "8.64s", "59.999s");
    assertThat(List.of(59_999_001L, 60_000_000L, 90_000_001L, 360_000_000L))
        .extracting(ResetTime::text)
        .containsExactly("1m0s", "1m0s", "1m31s", "6m0s");
    assertThat(ResetTime.of(TOKENS.bucket(), new Level(-1L << 50, 0))).endsWith("s");
  }

  private static List<Field> fields(Acquire acquire, Level... levels) {
    return TestFields.of(LimitFields.of(acquire, List.of(levels)));
  }

  private static Fault fault(Level... levels) {
    return LimitFault.of(DRAW, new AcquireResult.Refused(List.of(levels), false));
  }

  private static BucketAmount take(LimitScope scope, Unit unit, long capacity, long amount) {
    return new BucketAmount(new Bucket(scope, "id", unit, capacity), amount);
  }
}
