package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.exchange.DisconnectDecision.AwaitUsage;
import dev.tollgate.core.exchange.DisconnectDecision.DrainUpstream;
import dev.tollgate.core.exchange.DisconnectDecision.DropReply;
import dev.tollgate.core.exchange.DisconnectDecision.Facts;
import dev.tollgate.core.exchange.DisconnectDecision.Ignore;
import dev.tollgate.core.exchange.DisconnectDecision.KeepForKey;
import dev.tollgate.core.exchange.DisconnectDecision.KeepForMoney;
import dev.tollgate.core.exchange.DisconnectDecision.Stop;
import dev.tollgate.core.exchange.DisconnectDecision.StreamFacts;
import dev.tollgate.core.exchange.frame.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The decision on a disconnect, over all phases and facts. */
class DisconnectDecisionTest {
  private static final OnDisconnect.Drain OWN = new OnDisconnect.Drain(Duration.ofSeconds(9), 0.5);
  private static final OnDisconnect.Drain USUAL =
      new OnDisconnect.Drain(Duration.ofSeconds(30), 0.01);
  private static final List<Boolean> BOTH = List.of(false, true);

  /**
   * One row per phase; while a stream is relayed, one per state of the stream.
   *
   * @param plain the decision without claim and execution
   * @param executing the decision where a provider may be executing the request
   * @param claimed the decision with a claim, executing or not
   */
  private record Row(
      DisconnectDecision plain, DisconnectDecision executing, DisconnectDecision claimed) {
    static Row unlessClaimed(DisconnectDecision plain, DisconnectDecision executing) {
      return new Row(plain, executing, new KeepForKey());
    }

    static Row always(DisconnectDecision one) {
      return new Row(one, one, one);
    }

    DisconnectDecision expected(Facts facts) {
      if (facts.claimed()) {
        return claimed;
      }
      return facts.mayHaveExecuted() ? executing : plain;
    }
  }

  private static Row row(Phase phase, StreamFacts stream) {
    return switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, DRAINING_UPSTREAM ->
          Row.unlessClaimed(new Stop(), new Stop());
      case WAITING -> Row.unlessClaimed(new Stop(), new KeepForMoney());
      case STORING -> Row.unlessClaimed(new KeepForMoney(), new KeepForMoney());
      case RELAYING -> Row.always(ofStream(stream));
      case SETTLING -> Row.always(new DropReply());
      case ENDED -> Row.always(new Ignore());
    };
  }

  private static DisconnectDecision ofStream(StreamFacts stream) {
    if (stream.finished()) {
      return new AwaitUsage(Duration.ofSeconds(5));
    }
    if (stream.policy().equals(OWN)) {
      return new DrainUpstream(OWN);
    }
    return stream.uncertain() || stream.habitual() ? new DrainUpstream(USUAL) : new Stop();
  }

  private static Stream<StreamFacts> streams() {
    List<StreamFacts> all = new ArrayList<>();
    for (OnDisconnect policy : List.of(new OnDisconnect.Cancel(), OWN)) {
      for (boolean finished : BOTH) {
        for (boolean uncertain : BOTH) {
          for (boolean habitual : BOTH) {
            all.add(new StreamFacts(policy, finished, uncertain, habitual));
          }
        }
      }
    }
    return all.stream();
  }

  static Stream<Arguments> phasesAndFacts() {
    List<Arguments> all = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      for (boolean claimed : BOTH) {
        for (boolean mayHaveExecuted : BOTH) {
          streams()
              .map(stream -> new Facts(false, claimed, mayHaveExecuted, stream))
              .forEach(facts -> all.add(Arguments.of(phase, facts)));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("phasesAndFacts")
  void followsTheTable(Phase phase, Facts facts) {
    assertThat(DisconnectDecision.of(phase, facts))
        .isEqualTo(row(phase, facts.stream()).expected(facts));
  }

  @ParameterizedTest
  @MethodSource("phasesAndFacts")
  void aRepeatedReportIsIgnored(Phase phase, Facts facts) {
    var repeated = new Facts(true, facts.claimed(), facts.mayHaveExecuted(), facts.stream());
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
            AwaitUsage.class,
            DrainUpstream.class,
            Stop.class);
  }
}
