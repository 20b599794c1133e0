package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.DisconnectDecision.DrainUpstream;
import dev.tollgate.core.exchange.DisconnectDecision.DropReply;
import dev.tollgate.core.exchange.DisconnectDecision.Facts;
import dev.tollgate.core.exchange.DisconnectDecision.Ignore;
import dev.tollgate.core.exchange.DisconnectDecision.KeepForKey;
import dev.tollgate.core.exchange.DisconnectDecision.KeepForMoney;
import dev.tollgate.core.exchange.DisconnectDecision.Stop;
import dev.tollgate.core.exchange.frame.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The decision on a disconnect, over all phases and facts. */
class DisconnectDecisionTest {
  private static final Duration DRAIN = Duration.ofSeconds(5);
  private static final List<Boolean> BOTH = List.of(false, true);

  /**
   * One row per phase.
   *
   * @param plain the decision without claim and execution, where the drain quota has no room
   * @param drainable the same where the stream may be drained
   * @param executing the decision where a provider may be executing the request
   * @param executingDrainable the same where the stream may be drained
   * @param claimed the decision with a claim, executing or not
   * @param claimedDrainable the same where the stream may be drained
   */
  private record Row(
      DisconnectDecision plain,
      DisconnectDecision drainable,
      DisconnectDecision executing,
      DisconnectDecision executingDrainable,
      DisconnectDecision claimed,
      DisconnectDecision claimedDrainable) {
    static Row unlessClaimed(DisconnectDecision plain, DisconnectDecision executing) {
      return new Row(plain, plain, executing, executing, new KeepForKey(), new KeepForKey());
    }

    static Row always(DisconnectDecision one) {
      return new Row(one, one, one, one, one, one);
    }

    DisconnectDecision expected(Facts facts) {
      boolean drains = facts.drainTime().isPresent();
      if (facts.claimed()) {
        return drains ? claimedDrainable : claimed;
      }
      if (facts.mayHaveExecuted()) {
        return drains ? executingDrainable : executing;
      }
      return drains ? drainable : plain;
    }
  }

  private static Row row(Phase phase) {
    return switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, DRAINING_UPSTREAM ->
          Row.unlessClaimed(new Stop(), new Stop());
      case WAITING -> Row.unlessClaimed(new Stop(), new KeepForMoney());
      case STORING -> Row.unlessClaimed(new KeepForMoney(), new KeepForMoney());
      case RELAYING -> {
        DisconnectDecision stop = new Stop();
        DisconnectDecision drain = new DrainUpstream(DRAIN);
        yield new Row(stop, drain, stop, drain, stop, drain);
      }
      case SETTLING -> Row.always(new DropReply());
      case ENDED -> Row.always(new Ignore());
    };
  }

  static Stream<Arguments> phasesAndFacts() {
    List<Arguments> all = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      for (boolean claimed : BOTH) {
        for (boolean mayHaveExecuted : BOTH) {
          for (boolean drains : BOTH) {
            Optional<Duration> drainTime = drains ? Optional.of(DRAIN) : Optional.empty();
            all.add(Arguments.of(phase, new Facts(false, claimed, mayHaveExecuted, drainTime)));
          }
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("phasesAndFacts")
  void followsTheTable(Phase phase, Facts facts) {
    assertThat(DisconnectDecision.of(phase, facts)).isEqualTo(row(phase).expected(facts));
  }

  @ParameterizedTest
  @MethodSource("phasesAndFacts")
  void aRepeatedReportIsIgnored(Phase phase, Facts facts) {
    var repeated = new Facts(true, facts.claimed(), facts.mayHaveExecuted(), facts.drainTime());
    assertThat(DisconnectDecision.of(phase, repeated)).isEqualTo(new Ignore());
  }

  @Test
  void theTableNamesEveryDecision() {
    assertThat(phasesAndFacts())
        .extracting(one -> DisconnectDecision.of((Phase) one.get()[0], (Facts) one.get()[1]))
        .extracting(Object::getClass)
        .containsOnly(
            Ignore.class,
            DropReply.class,
            KeepForKey.class,
            KeepForMoney.class,
            DrainUpstream.class,
            Stop.class);
  }
}
