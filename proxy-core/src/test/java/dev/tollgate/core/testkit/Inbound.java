package dev.tollgate.core.testkit;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a peer has sent on one connection so far, and how it ended. One thread fills it
 * from the socket; a script and a test take messages from it and wait for its end.
 */
final class Inbound {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ByteQueue received = new ByteQueue();
  private final ByteQueue untaken = new ByteQueue();
  private boolean held;
  private boolean ended;
  private @Nullable PeerClose peerClose;

  /** Reads until the peer or this side ends the connection; runs on a thread of its own. */
  void readAll(InputStream in) throws InterruptedException {
    byte[] chunk = new byte[64 * 1024];
    try {
      while (true) {
        awaitReleased();
        int count = in.read(chunk);
        if (count < 0) {
          end(PeerClose.How.FIN);
          return;
        }
        append(chunk, count);
      }
    } catch (IOException _) {
      end(PeerClose.How.RST);
    }
  }

  /** Stops or resumes reading, so that the peer's sending comes to a halt. */
  void hold(boolean hold) {
    lock.lock();
    try {
      held = hold;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Marks the close as this side's own: errors of the socket are ignored from here on. */
  void abandon() {
    lock.lock();
    try {
      ended = true;
      held = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  byte[] bytes() {
    lock.lock();
    try {
      return received.toByteArray();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for the next whole message and takes it; throws {@link PeerDisconnected} if it cannot
   * arrive.
   */
  <M extends WireMessage> M take(WireMessageDecoder<M> cut, Deadline deadline)
      throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        Optional<M> message = cut.decode(untaken.array(), untaken.size(), false);
        if (message.isPresent()) {
          untaken.drop(message.get().rawBytes());
          return message.get();
        }
        if (ended || peerClose != null) {
          throw new PeerDisconnected();
        }
        awaitChange(deadline);
      }
    } finally {
      lock.unlock();
    }
  }

  PeerClose awaitPeerClose(Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      while (peerClose == null) {
        if (ended) {
          throw new PeerDisconnected(); // the script itself closed it first
        }
        awaitChange(deadline);
      }
      return peerClose;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until nothing more can arrive, whichever side ended it. */
  void awaitEnd(Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      while (!ended && peerClose == null) {
        awaitChange(deadline);
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitChange(Deadline deadline) throws InterruptedException {
    int before = received.size();
    while (before == received.size() && !ended && peerClose == null) {
      if (!changed.await(deadline.leftNanos(), NANOSECONDS)) {
        throw deadline.missed();
      }
    }
  }

  private void awaitReleased() throws InterruptedException {
    lock.lock();
    try {
      while (held) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void append(byte[] chunk, int count) {
    lock.lock();
    try {
      received.write(chunk, 0, count);
      untaken.write(chunk, 0, count);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end(PeerClose.How how) {
    long atNanos = System.nanoTime();
    lock.lock();
    try {
      if (!ended) {
        peerClose = new PeerClose(how, atNanos);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The peer disconnected before the script's end: this ends the script and does not fail it. */
  static final class PeerDisconnected extends RuntimeException {
    PeerDisconnected() {
      super("peer gone", null, false, false);
    }
  }
}
