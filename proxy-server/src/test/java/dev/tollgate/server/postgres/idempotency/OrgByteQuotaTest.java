package dev.tollgate.server.postgres.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.OrgId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OrgByteQuotaTest {
  private static final OrgId ONE = new OrgId(new UUID(1, 1));
  private static final OrgId OTHER = new OrgId(new UUID(2, 2));

  private long nanos = Long.MAX_VALUE - 5;
  private long stored;
  private int asked;
  private final OrgByteQuota bytes = new OrgByteQuota(100_000, () -> nanos);

  private boolean take(OrgId org, int more) throws SQLException {
    OrgByteQuota.ByteReservation place = bytes.reservation(org, more);
    boolean fits = place.reserve(this::sum);
    place.stored();
    return fits;
  }

  private long sum() {
    asked++;
    return stored;
  }

  @Test
  void whatIsStoredHereCountsAtOnceAndTheStoreIsAskedNowAndThen() throws Exception {
    stored = 40_000;
    assertThat(take(ONE, 50_000)).isTrue();
    assertThat(take(ONE, 10_001)).isFalse();
    assertThat(take(ONE, 10_000)).isTrue();
    assertThat(take(ONE, 2_000)).isFalse();
    assertThat(asked).isOne();
    nanos += Duration.ofSeconds(59).toNanos();
    assertThat(take(ONE, 2_000)).isFalse();
    assertThat(asked).isOne();
    nanos += Duration.ofSeconds(1).toNanos();
    assertThat(take(ONE, 60_000)).as("some of it expired").isTrue();
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void eachOrganizationHasItsOwn() throws Exception {
    stored = 90_000;
    assertThat(take(ONE, 20_000)).isFalse();
    stored = 0;
    assertThat(take(OTHER, 20_000)).isTrue();
    assertThat(take(ONE, 20_000)).isFalse();
    assertThat(asked).isEqualTo(2);
  }

  @Test
  void whatIsNoLargerThanItsRefusalIsKept() throws Exception {
    stored = 1_000_000;
    assertThat(take(ONE, 1024)).isTrue();
    assertThat(asked).isZero();
    assertThat(take(ONE, 1025)).isFalse();
  }

  @Test
  void nothingIsKnownOfAStoreThatIsAway() throws Exception {
    assertThatThrownBy(
            () ->
                bytes
                    .reservation(ONE, 2_000)
                    .reserve(
                        () -> {
                          throw new SQLException("away");
                        }))
        .isInstanceOf(SQLException.class);
    assertThat(take(ONE, 2_000)).isTrue();
    assertThat(asked).isOne();
  }

  @Test
  void aReplyIsCountedOnceHoweverOftenItIsTried() throws Exception {
    OrgByteQuota.ByteReservation tried = bytes.reservation(ONE, 30_000);
    for (int i = 0; i < 10; i++) {
      assertThat(tried.reserve(this::sum)).isTrue();
    }
    assertThat(take(ONE, 70_000)).isTrue();
    assertThat(tried.reserve(this::sum)).as("its place is its own").isTrue();
    tried.stored();
    assertThat(take(ONE, 2_000)).isFalse();
  }

  @Test
  void whatWasNeverStoredLeavesItsRoom() throws Exception {
    OrgByteQuota.ByteReservation lost = bytes.reservation(ONE, 90_000);
    assertThat(lost.reserve(this::sum)).isTrue();
    assertThat(take(ONE, 20_000)).isFalse();
    lost.release();
    lost.release();
    assertThat(take(ONE, 100_000)).isTrue();
    assertThat(take(ONE, 2_000)).isFalse();
  }

  @Test
  void bytesInFlightOutliveACachedSum() throws Exception {
    OrgByteQuota.ByteReservation slow = bytes.reservation(ONE, 60_000);
    assertThat(slow.reserve(this::sum)).isTrue();
    nanos += Duration.ofMinutes(2).toNanos();
    assertThat(take(OTHER, 2_000)).as("which forgets what is old").isTrue();
    assertThat(take(ONE, 50_000)).isFalse();
    slow.stored();
    assertThat(take(ONE, 50_000)).isFalse();
    assertThat(take(ONE, 40_000)).isTrue();
  }

  @Test
  void whatIsStoredWhileTheStoreAddsUpIsNotForgotten() throws Exception {
    OrgByteQuota.ByteReservation summing = bytes.reservation(ONE, 60_000);
    boolean fits =
        summing.reserve(
            () -> {
              assertThat(take(ONE, 30_000)).isTrue();
              return 0;
            });
    assertThat(fits).isTrue();
    summing.stored();
    assertThat(take(ONE, 20_000)).isFalse();
    assertThat(take(ONE, 10_000)).isTrue();
  }
}
