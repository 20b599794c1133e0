package dev.tollgate.core.exchange.frame;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An organization leaves habitually if it left more than 5 % of its last 200 streams. */
class LeftStreamsTest {
  private static final OrgId ONE = new OrgId(new UUID(1, 1));
  private static final OrgId OTHER = new OrgId(new UUID(1, 2));

  private final LeftStreams streams = new LeftStreams();

  private void ended(OrgId organization, int count, boolean left) {
    for (int n = 0; n < count; n++) {
      streams.ended(organization, left);
    }
  }

  @Test
  void tenOfTwoHundredAreNoHabitAndElevenAre() {
    ended(ONE, 100, false);
    ended(ONE, 10, true);
    assertThat(streams.isHabitual(ONE)).isFalse();
    ended(ONE, 1, true);
    assertThat(streams.isHabitual(ONE)).isTrue();
    assertThat(streams.isHabitual(OTHER)).isFalse();
  }

  @Test
  void aHabitIsOverAfterTwoHundredStreams() {
    ended(ONE, 11, true);
    ended(ONE, 189, false);
    assertThat(streams.isHabitual(ONE)).isTrue();
    ended(ONE, 1, false);
    assertThat(streams.isHabitual(ONE)).isFalse();
    ended(ONE, 1, true);
    assertThat(streams.isHabitual(ONE)).as("another one left the window").isFalse();
  }

  @Test
  void theNumberOfOrganizationsIsBound() {
    ended(ONE, 11, true);
    for (int n = 0; n < 3 * LeftStreams.ORGANIZATIONS_MAX; n++) {
      ended(new OrgId(new UUID(2, n)), 1, true);
    }
    assertThat(streams.organizations()).isBetween(1L, (long) LeftStreams.ORGANIZATIONS_MAX);
  }
}
