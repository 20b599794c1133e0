package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.SteadyLoad.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Steady load of one key on each node of a fleet, in which a change must act soon on each. */
final class LoadOnEachNode implements AutoCloseable {
  /** Bound of the time until a change acts. */
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int ENOUGH = 3;

  private final List<SteadyLoad> loads;
  private final Duration observed;

  /**
   * Starts the load.
   *
   * @param perSecond requests to all nodes together
   * @param observed how long later answers are checked after a change has acted
   */
  LoadOnEachNode(
      List<GatewayProcess> nodes, String key, String model, int perSecond, Duration observed) {
    String body = ChatRequests.body(model, false);
    this.loads =
        nodes.stream()
            .map(node -> SteadyLoad.on(node, key, _ -> body, perSecond / nodes.size()))
            .toList();
    this.observed = observed;
  }

  private static String outcome(Answer answer) {
    return (answer.status() + " " + answer.code()).strip();
  }

  /**
   * Waits until each node gives this answer only, and checks that none gave another to a request
   * sent 5 s after the change. Returns the milliseconds after which it was asked the last request
   * with another answer, by node.
   */
  List<Long> requireOnly(String expected, long changedNanos) throws Exception {
    await(expected, changedNanos, true);
    loads.getFirst().runFor(observed);
    List<Long> last = new ArrayList<>();
    for (SteadyLoad load : loads) {
      last.add(
          load.since(changedNanos).stream()
              .filter(each -> !outcome(each).equals(expected))
              .mapToLong(each -> (each.askedNanos() - changedNanos) / 1_000_000)
              .max()
              .orElse(0));
    }
    assertThat(last)
        .as("ms to the last answer that was not %s, by node", expected)
        .allSatisfy(millis -> assertThat(millis).isLessThan(SOON.toMillis()));
    return last;
  }

  /** Waits until each node gave this answer once; returns after how many milliseconds, by node. */
  List<Long> requireFirst(String expected, long changedNanos) throws Exception {
    await(expected, changedNanos, false);
    List<Long> first = new ArrayList<>();
    for (SteadyLoad load : loads) {
      first.add(
          load.since(changedNanos).stream()
              .filter(each -> outcome(each).equals(expected))
              .mapToLong(each -> (each.answeredNanos() - changedNanos) / 1_000_000)
              .min()
              .orElseThrow());
    }
    assertThat(first)
        .as("ms to the first answer that was %s, by node", expected)
        .allSatisfy(millis -> assertThat(millis).isLessThan(SOON.toMillis()));
    return first;
  }

  private void await(String expected, long changedNanos, boolean only) throws Exception {
    for (SteadyLoad load : loads) {
      while (!acts(load.since(changedNanos), expected, only)) {
        List<Answer> seen = load.since(changedNanos);
        assertThat(System.nanoTime() - changedNanos)
            .as("waits for %s, at last %s", expected, seen.isEmpty() ? "none" : seen.getLast())
            .isLessThan(PATIENCE.toNanos());
        load.runFor(POLL);
      }
    }
  }

  private static boolean acts(List<Answer> answers, String expected, boolean only) {
    int count = 0;
    for (Answer each : answers) {
      if (outcome(each).equals(expected)) {
        count++;
      } else if (only) {
        count = 0;
      }
    }
    return count >= (only ? ENOUGH : 1);
  }

  /** Returns the answers of all nodes until now. */
  List<Answer> answers(long sinceNanos) {
    return loads.stream().flatMap(load -> load.since(sinceNanos).stream()).toList();
  }

  @Override
  public void close() {
    loads.forEach(SteadyLoad::close);
  }
}
