package dev.tollgate.server.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Concurrent calls, each on a thread of its own. */
final class ConcurrentCalls {
  private static final int THREADS = 4;

  private ConcurrentCalls() {}

  /** Call with a number. */
  interface Runner {
    List<String> ask(int number) throws Exception;
  }

  /** Returns all results. */
  static List<String> of(int count, Runner each) throws Exception {
    List<Future<List<String>>> asked = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (int i = 0; i < count; i++) {
        int number = i;
        asked.add(threads.submit(() -> each.ask(number)));
      }
    }
    List<String> answers = new ArrayList<>();
    for (Future<List<String>> answer : asked) {
      answers.addAll(answer.get());
    }
    return answers;
  }
}
