package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.id.OrgId;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OrgBytesTest {
  private static final OrgId ONE = new OrgId(new UUID(1, 1));
  private static final OrgId OTHER = new OrgId(new UUID(2, 2));

  private long nanos = Long.MAX_VALUE - 5;
  private long stored;
  private int asked;
  private final OrgBytes bytes = new OrgBytes(100_000, () -> nanos);

  private boolean take(OrgId org, int more) throws SQLException {
    return bytes.take(
        org,
        more,
        () -> {
          asked++;
          return stored;
        });
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
                bytes.take(
                    ONE,
                    2_000,
                    () -> {
                      throw new SQLException("away");
                    }))
        .isInstanceOf(SQLException.class);
    assertThat(take(ONE, 2_000)).isTrue();
    assertThat(asked).isOne();
  }
}
