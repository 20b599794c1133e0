package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyState;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which refusals leave a row, and how the others are counted. */
class RefusalCountsTest {
  private static final long MINUTE = RefusalCount.minuteOf(RequestRecords.ID.epochMillis());
  private static final long AT = MINUTE * 60_000;
  private static final int COUNTS_MAX = 4;

  private final AtomicLong now = new AtomicLong();
  private final RefusalCounts counts = new RefusalCounts(COUNTS_MAX, now::get);

  @Test
  void theFirstOfAMinuteLeaveRowsByKeyAndCode() {
    assertThat(rows(30, ErrorCode.VALIDATION_FAILED, AT)).isEqualTo(RefusalCounts.ROWS_MAX);
    assertThat(rows(30, ErrorCode.RATE_LIMITED, AT + 59_999)).isEqualTo(RefusalCounts.ROWS_MAX);
    assertThat(rows(30, ErrorCode.RATE_LIMITED, AT + 60_000)).isEqualTo(RefusalCounts.ROWS_MAX);
    assertThat(counts.take())
        .containsExactlyInAnyOrder(
            count(MINUTE, "validation_failed", 10),
            count(MINUTE, "rate_limited", 10),
            count(MINUTE + 1, "rate_limited", 10));
    assertThat(rows(5, ErrorCode.RATE_LIMITED, AT)).isZero();
    assertThat(counts.take()).containsExactly(count(MINUTE, "rate_limited", 5));
    assertThat(counts.take()).isEmpty();
    assertThat(counts.counted()).isEqualTo(35);
  }

  @Test
  void aKeyThatIsNotActiveLeavesNoRowWhateverTheCode() {
    ApiKey revoked = key(KeyState.REVOKED, null);
    ApiKey expired = key(KeyState.ACTIVE, Instant.ofEpochMilli(AT));
    assertThat(leavesRow(refusal(ErrorCode.KEY_REVOKED, AT, revoked))).isFalse();
    assertThat(leavesRow(refusal(ErrorCode.RATE_LIMITED, AT, revoked))).isFalse();
    assertThat(leavesRow(refusal(ErrorCode.KEY_EXPIRED, AT, expired))).isFalse();
    assertThat(leavesRow(refusal(ErrorCode.RATE_LIMITED, AT - 1, expired))).isTrue();
    assertThat(counts.take())
        .contains(count(MINUTE, "key_revoked", 1), count(MINUTE, "rate_limited", 1));
  }

  @Test
  void onlyRequestsThatEndedBeforeAnAttemptAreRefusals() {
    Served attempted = RequestRecords.served(RequestRecords.MODEL, RequestRecords.PROVIDER);
    Served refused = Served.none(RequestRecords.MODEL, false, "");
    for (int i = 0; i < 2 * RefusalCounts.ROWS_MAX; i++) {
      assertThat(leavesRow(ended(RequestOutcome.OK, null, null))).isTrue();
      assertThat(leavesRow(ended(RequestOutcome.REPLAYED, null, null))).isTrue();
      assertThat(leavesRow(ended(RequestOutcome.PROVIDER_ERROR, null, attempted))).isTrue();
      assertThat(leavesRow(ended(RequestOutcome.CLIENT_ABORT, null, attempted))).isTrue();
      leavesRow(ended(RequestOutcome.PROVIDER_UNAVAILABLE, null, refused));
      leavesRow(ended(RequestOutcome.CLIENT_ABORT, null, null));
    }
    assertThat(counts.take())
        .containsExactlyInAnyOrder(
            count(MINUTE, "provider_unavailable", RefusalCounts.ROWS_MAX),
            count(MINUTE, "client_abort", RefusalCounts.ROWS_MAX));
  }

  @Test
  void whatFindsNoPlaceIsDroppedUntilOthersAreOver() {
    for (ErrorCode each : new ErrorCode[] {ErrorCode.NOT_FOUND, ErrorCode.RATE_LIMITED}) {
      rows(21, each, AT);
    }
    rows(1, ErrorCode.INVALID_JSON, AT);
    rows(1, ErrorCode.MODEL_NOT_FOUND, AT);
    assertThat(rows(7, ErrorCode.VALIDATION_FAILED, AT)).isZero();
    assertThat(counts.dropped()).isEqualTo(7);
    assertThat(counts.size()).isEqualTo(COUNTS_MAX);

    now.addAndGet(Duration.ofMinutes(6).toNanos());
    assertThat(counts.take()).hasSize(2);
    assertThat(counts.size()).as("not before it was written").isEqualTo(2);
    counts.take();
    assertThat(counts.size()).isZero();
    assertThat(rows(1, ErrorCode.VALIDATION_FAILED, AT)).isOne();
  }

  @Test
  void countsThatWerePutBackAreAddedToLaterOnes() {
    rows(22, ErrorCode.NOT_FOUND, AT);
    now.addAndGet(Duration.ofMinutes(6).toNanos());
    counts.putBack(counts.take());
    rows(1, ErrorCode.NOT_FOUND, AT);
    assertThat(counts.take()).containsExactly(count(MINUTE, "not_found", 3));
  }

  private int rows(int refusals, ErrorCode code, long epochMillis) {
    int rows = 0;
    for (int i = 0; i < refusals; i++) {
      rows += leavesRow(refusal(code, epochMillis, RequestRecords.KEY)) ? 1 : 0;
    }
    return rows;
  }

  private boolean leavesRow(RequestRecord record) {
    return counts.leavesRow(record, Objects.requireNonNull(record.key()));
  }

  private static RequestRecord refusal(ErrorCode code, long epochMillis, ApiKey key) {
    RequestRecord record =
        RequestRecords.record(
            "/v1/chat/completions", code.status(), RequestOutcome.REJECTED, code, key, null);
    return new RequestRecord(
        RequestId.at(epochMillis),
        record.total(),
        record.http(),
        record.outcome(),
        code,
        null,
        key,
        null);
  }

  private static RequestRecord ended(
      RequestOutcome outcome, @Nullable ErrorCode code, @Nullable Served served) {
    return RequestRecords.record("/v1/models", 0, outcome, code, RequestRecords.KEY, served);
  }

  private static RefusalCount count(long minute, String code, long refusals) {
    ApiKey key = RequestRecords.KEY;
    return new RefusalCount(minute, key.org().id(), key.id(), code, refusals);
  }

  private static ApiKey key(KeyState state, @Nullable Instant expiresAt) {
    ApiKey key = RequestRecords.KEY;
    return new ApiKey(
        new KeyId(key.id().value()),
        key.name(),
        key.lastFour(),
        key.org(),
        state,
        expiresAt,
        key.scope(),
        key.limits());
  }
}
