package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Clients that send one request after the other to a node, and record the responses. */
final class ClosedLoopLoad implements AutoCloseable {
  private static final Pattern COST = Pattern.compile("\"x_llm_cost_micro\":(\\d+)");

  private static final Duration SOON = Duration.ofSeconds(20);

  private final int port;
  private final String authorization;
  private final String body;
  private final List<Answer> answers = new ArrayList<>();
  private final List<Thread> clients;
  private volatile boolean ending;

  /**
   * One complete response.
   *
   * @param code of an error, else empty
   * @param costMicro reported cost, 0 if none was reported
   */
  record Answer(int status, String code, String request, long costMicro, long askedNanos) {}

  private ClosedLoopLoad(GatewayProcess node, String key, String model, int clients) {
    this.port = node.port();
    this.authorization = ChatRequests.authorization(key);
    this.body = ChatRequests.body(model, false);
    this.clients =
        IntStream.range(0, clients).mapToObj(_ -> Thread.ofVirtual().start(this::ask)).toList();
  }

  /** Starts the clients. */
  static ClosedLoopLoad on(GatewayProcess node, String key, String model, int clients) {
    return new ClosedLoopLoad(node, key, model, clients);
  }

  private void ask() {
    while (!ending) {
      try (RawClient client = RawClient.connect(port)) {
        while (!ending) {
          long asked = System.nanoTime();
          remember(client.post(ChatRequests.PATH, body, authorization).readResponse(), asked);
        }
      } catch (RuntimeException | AssertionError cutOff) {
        // the node has ended: an incomplete response reports nothing
      }
    }
  }

  private void remember(RawResponse reply, long asked) {
    Matcher cost = COST.matcher(reply.text());
    boolean served = reply.status() == 200 && cost.find();
    Answer answer =
        new Answer(
            reply.status(),
            served ? "" : ChatRequests.code(reply),
            String.valueOf(reply.header("x-request-id")),
            served ? Long.parseLong(cost.group(1)) : 0,
            asked);
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

  /** Waits for a response with this status to a request sent this long from now. */
  void await(int status, Duration fromNow) throws InterruptedException {
    long sinceNanos = System.nanoTime() + fromNow.toNanos();
    long deadlineNanos = sinceNanos + SOON.toNanos();
    synchronized (answers) {
      for (int at = answers.size(); ; at++) {
        while (at == answers.size()) {
          long leftMillis = Duration.ofNanos(deadlineNanos - System.nanoTime()).toMillis();
          if (leftMillis <= 0) {
            throw new AssertionError("no response with status " + status);
          }
          answers.wait(leftMillis);
        }
        Answer answer = answers.get(at);
        if (answer.status() == status && answer.askedNanos() - sinceNanos >= 0) {
          return;
        }
      }
    }
  }

  /** Returns the charges that clients received, by request. */
  Map<String, Long> reportedCosts() {
    return answers().stream()
        .filter(each -> each.status() == 200)
        .collect(Collectors.toMap(Answer::request, Answer::costMicro));
  }

  /** Lets each client read its last response. */
  void end() throws InterruptedException {
    close();
    for (Thread client : clients) {
      client.join();
    }
  }

  @Override
  public void close() {
    ending = true;
  }
}
