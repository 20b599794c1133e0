package dev.tollgate.server.wiring;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stack of the resources opened by a start, which closes them in reverse order. Each is closed
 * once, even if others fail to close.
 */
final class Closers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Closers.class);

  private final Deque<Closer> opened = new ArrayDeque<>();

  private record Closer(String name, AutoCloseable close) {}

  /** Adds a resource that was opened. */
  synchronized void add(String name, AutoCloseable close) {
    opened.push(new Closer(name, close));
  }

  /** Returns the names of open resources, in the order in which they close. */
  synchronized List<String> names() {
    return opened.stream().map(Closer::name).toList();
  }

  @Override
  public synchronized void close() {
    while (!opened.isEmpty()) {
      close(opened.pop());
    }
  }

  private static void close(Closer closer) {
    try {
      closer.close().close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      LOG.error("closing {} failed", closer.name(), e);
    }
  }
}
