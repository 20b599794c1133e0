package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.pipeline.LoadShedder.Admitted;
import dev.tollgate.core.pipeline.LoadShedder.Permit;
import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.pipeline.LoadShedder.Verdict;
import dev.tollgate.server.metrics.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ShedderTest {
  private static final OrgId ONE = new OrgId(new UUID(0, 1));
  private static final OrgId OTHER = new OrgId(new UUID(0, 2));
  private static final Endpoint CHAT = Endpoint.CHAT_COMPLETIONS;

  private final Metrics metrics = new Metrics();

  @Test
  void theBoundOfRequestsIsNeverPassed() throws IOException {
    Shedder shedder = shedder(100, 10);
    List<Permit> permits = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      permits.add(admitted(shedder, new OrgId(new UUID(1, i))));
    }

    assertThat(shedder.judge(CHAT)).isInstanceOf(Shed.class);
    assertThat(shedder.enter(CHAT, ONE)).isInstanceOf(Shed.class);
    permits.removeLast().end();
    assertThat(shedder.judge(CHAT)).isEqualTo(Verdict.SERVE);
    assertThat(shedder.judge(Endpoint.MODELS)).isInstanceOf(Shed.class);
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_requests_admitted 99.0",
            "tollgate_requests_max 100.0",
            "tollgate_shed_above_share_total 0.0");
  }

  @Test
  void anOrganizationAboveItsFairShareIsShed() throws IOException {
    Shedder shedder = shedder(100, 10);
    for (int i = 0; i < 90; i++) {
      admitted(shedder, ONE);
    }

    assertThat(shedder.enter(CHAT, ONE)).isInstanceOf(Shed.class);
    for (int i = 0; i < 10; i++) {
      admitted(shedder, OTHER);
    }
    assertThat(shedder.enter(CHAT, OTHER)).isInstanceOf(Shed.class);
    assertThat(shedder.running()).isEqualTo(100);
    assertThat(metrics.scrape(null).text()).contains("tollgate_shed_above_share_total 1.0");
  }

  @Test
  void retryTimesAreSpread() {
    Shedder shedder = shedder(10, 10);
    for (int i = 0; i < 10; i++) {
      admitted(shedder, ONE);
    }

    TreeSet<Integer> seconds = new TreeSet<>();
    for (int i = 0; i < 1000; i++) {
      if (shedder.judge(CHAT) instanceof Shed shed) {
        seconds.add(shed.retryAfterSeconds());
      }
    }
    assertThat(seconds).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void countsOfManyLoopsAddUp() throws Exception {
    Shedder shedder = shedder(1000, 8);
    Callable<Integer> work =
        () -> {
          int most = 0;
          for (int i = 0; i < 20_000; i++) {
            OrgId org = new OrgId(new UUID(2, ThreadLocalRandom.current().nextInt(3)));
            if (shedder.enter(CHAT, org) instanceof Admitted admitted) {
              most = Math.max(most, shedder.running());
              admitted.permit().end();
            }
          }
          return most;
        };
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (Future<Integer> most : threads.invokeAll(List.of(work, work, work, work))) {
        assertThat(most.get(60, TimeUnit.SECONDS)).isBetween(1, 4);
      }
    }

    assertThat(shedder.running()).isZero();
    assertThat(shedder.organizations()).isZero();
  }

  @Test
  void withoutSheddingOnlyTheBoundCounts() {
    var rules = new LoadMonitor.Rules(false, 100, 10, Duration.ofMillis(20));
    Shedder shedder = new Shedder(metrics, rules);
    for (int i = 0; i < 99; i++) {
      admitted(shedder, ONE);
    }

    assertThat(shedder.judge(Endpoint.MODELS)).isEqualTo(Verdict.SERVE);
    admitted(shedder, ONE);
    assertThat(shedder.judge(CHAT)).isInstanceOf(Shed.class);
  }

  private Shedder shedder(int requestsMax, int requestsMin) {
    var rules = new LoadMonitor.Rules(true, requestsMax, requestsMin, Duration.ofMillis(20));
    return new Shedder(metrics, rules);
  }

  private static Permit admitted(Shedder shedder, OrgId org) {
    if (shedder.enter(CHAT, org) instanceof Admitted admitted) {
      return admitted.permit();
    }
    throw new AssertionError("turned away with " + shedder.running() + " in work");
  }
}
