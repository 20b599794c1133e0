package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.ControlClient.Reply;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/** Callers of one node's control plane, all at once and each again and again. */
final class ControlCallers implements AutoCloseable {
  private static final int PAUSE_MILLIS = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final ControlClient person;
  private final URI node;
  private final List<Call> calls;
  private final List<Answer> answers = new CopyOnWriteArrayList<>();
  private final List<Thread> threads;
  private volatile boolean ending;

  /** Call that is made, by method, path and body. */
  record Call(String method, String path, String json) {}

  /** Complete reply, or the failure of the connection as its outcome. */
  record Answer(Call call, int caller, String outcome, long askedNanos, long tookMillis) {
    boolean isServed() {
      return outcome.startsWith("2");
    }
  }

  /** Starts the callers, whose calls are assigned in turn. */
  ControlCallers(ControlClient person, URI node, List<Call> calls, int callers) {
    this.person = person;
    this.node = node;
    this.calls = calls;
    this.threads =
        IntStream.range(0, callers).mapToObj(n -> Thread.ofVirtual().start(() -> call(n))).toList();
  }

  private void call(int caller) {
    try {
      for (int turn = caller; !ending; turn++) {
        Call call = calls.get(turn % calls.size());
        long asked = System.nanoTime();
        String outcome = outcome(call);
        long tookMillis = (System.nanoTime() - asked) / 1_000_000;
        answers.add(new Answer(call, caller, outcome, asked, tookMillis));
        CrashingNodes.pause(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String outcome(Call call) throws InterruptedException {
    try {
      Reply reply = person.call(node, call.method(), call.path(), call.json());
      return reply.outcome();
    } catch (IOException failed) {
      return String.valueOf(failed);
    }
  }

  /** Returns the answers to calls made since then. */
  List<Answer> since(long nanos) {
    return answers.stream().filter(each -> each.askedNanos() - nanos >= 0).toList();
  }

  /** Waits until each caller's last calls, of those made since then, were all served. */
  void awaitServed(long sinceNanos) throws InterruptedException {
    await(sinceNanos, true);
  }

  /** Waits until each caller's last calls, of those made since then, were all refused. */
  void awaitRefused(long sinceNanos) throws InterruptedException {
    await(sinceNanos, false);
  }

  private void await(long sinceNanos, boolean served) throws InterruptedException {
    for (int caller = 0; caller < threads.size(); caller++) {
      while (!holds(caller, sinceNanos, served)) {
        assertThat(System.nanoTime() - sinceNanos)
            .as("waits for served %s; the last answers: %s", served, last())
            .isLessThan(PATIENCE.toNanos());
        CrashingNodes.pause(PAUSE_MILLIS / 4);
      }
    }
  }

  private List<Answer> last() {
    List<Answer> all = List.copyOf(answers);
    return all.subList(Math.max(0, all.size() - threads.size()), all.size());
  }

  private boolean holds(int caller, long sinceNanos, boolean served) {
    List<Answer> its = since(sinceNanos).stream().filter(one -> one.caller() == caller).toList();
    return its.size() >= 2
        && its.subList(its.size() - 2, its.size()).stream()
            .allMatch(one -> one.isServed() == served);
  }

  /** Lets each caller read its last reply. */
  void end() throws InterruptedException {
    close();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Override
  public void close() {
    ending = true;
  }
}
