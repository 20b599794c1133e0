package dev.tollgate.server.acceptance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Output of a process, collected as it is printed; a test waits for a line. */
final class ProcessOutput {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition grown = lock.newCondition();
  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  /** Starts to collect the stream, on a thread of its own. */
  static ProcessOutput of(InputStream stream) {
    ProcessOutput lines = new ProcessOutput();
    // A virtual thread would block its carrier while it reads a pipe, and there are few.
    Thread.ofPlatform().daemon().start(() -> lines.collect(stream));
    return lines;
  }

  /** Waits for the first line that matches; empty if the stream ends without one. */
  Optional<String> await(Predicate<String> fits, Duration within) throws InterruptedException {
    return await(fits, 0, within);
  }

  /** Waits for the first line that matches after the first {@code skip} lines. */
  Optional<String> await(Predicate<String> fits, int skip, Duration within)
      throws InterruptedException {
    long deadlineNanos = System.nanoTime() + within.toNanos();
    int at = skip;
    lock.lock();
    try {
      while (true) {
        for (; at < lines.size(); at++) {
          if (fits.test(lines.get(at))) {
            return Optional.of(lines.get(at));
          }
        }
        if (ended) {
          return Optional.empty();
        }
        if (!grown.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)
            && System.nanoTime() >= deadlineNanos) {
          throw new AssertionError(
              "waited " + within + " without success for a line in:\n" + text());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  int count() {
    lock.lock();
    try {
      return lines.size();
    } finally {
      lock.unlock();
    }
  }

  List<String> all() {
    lock.lock();
    try {
      return List.copyOf(lines);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the whole output, once the process has ended. */
  String whole() throws InterruptedException {
    await(line -> false, Duration.ofSeconds(20));
    return text();
  }

  /** Returns the line before each stack trace, with its beginning, for tests that expect none. */
  List<String> traces() {
    List<String> seen = all();
    return IntStream.range(1, seen.size())
        .filter(i -> isFrame(seen.get(i)) && !isFrame(seen.get(i - 1)))
        .mapToObj(i -> seen.subList(Math.max(0, i - 3), Math.min(seen.size(), i + 25)))
        .map(lines -> String.join("\n", lines))
        .toList();
  }

  private static boolean isFrame(String line) {
    return line.startsWith("\tat ");
  }

  String text() {
    return String.join("\n", all());
  }

  private void collect(InputStream stream) {
    try (var reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line);
      }
    } catch (IOException _) {
      // A killed process closes its pipe; its output is kept.
    } finally {
      end();
    }
  }

  private void add(String line) {
    lock.lock();
    try {
      lines.add(line);
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      ended = true;
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
