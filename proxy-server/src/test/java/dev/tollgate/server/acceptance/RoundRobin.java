package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Clients that send requests to the nodes of a fleet in turn, one after the other, at full speed.
 */
final class RoundRobin implements AutoCloseable {
  private static final Pattern SCOPE = Pattern.compile("\"scope\":\"(\\w+)\"");
  private static final long SOON_NANOS = 20_000_000_000L;

  private final List<GatewayProcess> nodes;
  private final String body;
  private final List<Answer> answers = new ArrayList<>();
  private final List<Thread> clients;
  private volatile boolean ending;

  /**
   * One complete response.
   *
   * @param node index of the node in the fleet
   * @param scope scope of the limit that refused, or the text of another error
   * @param givenMillis wall-clock time
   */
  record Answer(
      int node, int status, String scope, long askedNanos, long givenNanos, long givenMillis) {
    long tookMillis() {
      return (givenNanos - askedNanos) / 1_000_000;
    }
  }

  private RoundRobin(List<GatewayProcess> nodes, String model, List<String> keys, int clients) {
    this.nodes = nodes;
    this.body = ChatRequests.body(model, false);
    this.clients =
        IntStream.range(0, clients)
            .mapToObj(n -> Thread.ofVirtual().start(() -> ask(n, keys.get(n % keys.size()))))
            .toList();
  }

  /** Starts the clients; the keys are assigned in turn. */
  static RoundRobin on(List<GatewayProcess> nodes, String model, List<String> keys, int clients) {
    return new RoundRobin(nodes, model, keys, clients);
  }

  private void ask(int first, String key) {
    List<RawClient> connections = new ArrayList<>();
    try {
      for (GatewayProcess node : nodes) {
        connections.add(node.connect());
      }
      for (int turn = first; !ending; turn++) {
        int node = turn % nodes.size();
        long asked = System.nanoTime();
        RawResponse response =
            connections
                .get(node)
                .post(ChatRequests.PATH, body, ChatRequests.authorization(key))
                .readResponse();
        long given = System.nanoTime();
        remember(answer(node, response, asked, given));
      }
    } finally {
      connections.forEach(RawClient::close);
    }
  }

  private static Answer answer(int node, RawResponse response, long asked, long given) {
    String text = response.status() == 200 ? "" : response.text();
    Matcher scope = SCOPE.matcher(text);
    return new Answer(
        node,
        response.status(),
        scope.find() ? scope.group(1) : text,
        asked,
        given,
        System.currentTimeMillis());
  }

  private void remember(Answer answer) {
    synchronized (answers) {
      answers.add(answer);
      answers.notifyAll();
    }
  }

  /** Returns all responses until now. */
  List<Answer> answers() {
    synchronized (answers) {
      return List.copyOf(answers);
    }
  }

  /** Waits for this many such responses to requests sent since then. */
  void await(int status, long sinceNanos, int count) throws InterruptedException {
    await(each -> each.status() == status, sinceNanos, count);
  }

  /** Waits for this many responses, of any status, to requests sent since then. */
  void awaitAny(long sinceNanos, int count) throws InterruptedException {
    await(_ -> true, sinceNanos, count);
  }

  /** Waits until the limit of that scope refused this many of the requests sent since then. */
  void awaitRefused(String scope, long sinceNanos, int count) throws InterruptedException {
    await(each -> each.scope().equals(scope), sinceNanos, count);
  }

  private void await(Predicate<Answer> which, long sinceNanos, int count)
      throws InterruptedException {
    long deadlineNanos = sinceNanos + SOON_NANOS;
    int found = 0;
    synchronized (answers) {
      for (int at = 0; found < count; at++) {
        while (at == answers.size()) {
          long leftNanos = deadlineNanos - System.nanoTime();
          if (leftNanos <= 0) {
            throw new AssertionError("too few such answers: " + found + " of " + answers.size());
          }
          TimeUnit.NANOSECONDS.timedWait(answers, leftNanos);
        }
        Answer each = answers.get(at);
        found += each.askedNanos() - sinceNanos >= 0 && which.test(each) ? 1 : 0;
      }
    }
  }

  /** Lets each client read its last response; fails if one times out. */
  List<Answer> end() throws InterruptedException {
    close();
    for (Thread client : clients) {
      client.join();
    }
    return answers();
  }

  @Override
  public void close() {
    ending = true;
  }
}
