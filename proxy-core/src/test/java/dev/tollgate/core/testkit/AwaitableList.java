package dev.tollgate.core.testkit;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Ordered list of events; a test waits for the n-th. */
final class AwaitableList<T> {
  private final String what;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition grown = lock.newCondition();
  private final List<T> items = new ArrayList<>();

  AwaitableList(String what) {
    this.what = what;
  }

  /** Adds an item and returns its number, from 0. */
  int add(T item) {
    lock.lock();
    try {
      items.add(item);
      grown.signalAll();
      return items.size() - 1;
    } finally {
      lock.unlock();
    }
  }

  T await(int n, Duration within) throws InterruptedException {
    Deadline deadline = Deadline.in(within, what + " " + n);
    lock.lock();
    try {
      while (items.size() <= n) {
        if (!grown.await(deadline.leftNanos(), NANOSECONDS)) {
          throw deadline.missed();
        }
      }
      return items.get(n);
    } finally {
      lock.unlock();
    }
  }

  int size() {
    lock.lock();
    try {
      return items.size();
    } finally {
      lock.unlock();
    }
  }

  List<T> all() {
    lock.lock();
    try {
      return List.copyOf(items);
    } finally {
      lock.unlock();
    }
  }
}
