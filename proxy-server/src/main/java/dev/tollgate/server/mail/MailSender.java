package dev.tollgate.server.mail;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.outage.StoreOutage;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that delivers the mails of the outbox: those of this node as soon as they are committed,
 * those of other nodes at its next poll. Logs name the kind of a mail, never its link.
 */
public final class MailSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MailSender.class);
  private static final Duration POLL = Duration.ofSeconds(2);
  private static final String SENDER = "tollgate@localhost";

  private final MailOutbox outbox;
  private final MailDelivery delivery;
  private final Duration poll;
  private final StoreOutage outage = new StoreOutage(LOG, "mails");
  private final Semaphore wakeUps = new Semaphore(0);
  private final LongAdder sent = new LongAdder();
  private final LongAdder retried = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final Thread thread =
      Thread.ofPlatform().name("mail-sender").daemon().unstarted(this::run);
  private volatile boolean isClosed;

  /**
   * @param poll time after which it looks for mails of other nodes
   */
  MailSender(MailOutbox outbox, MailDelivery delivery, Duration poll) {
    this.outbox = outbox;
    this.delivery = delivery;
    this.poll = poll;
  }

  /**
   * Returns a sender that is not started.
   *
   * @param smtp URL of the mail server; null: mails become files
   * @param from address of the sender; null: a placeholder
   * @param directory directory of the files
   */
  public static MailSender of(
      MailOutbox outbox, @Nullable Secret smtp, @Nullable String from, Path directory) {
    String sender = from == null ? SENDER : from;
    return new MailSender(
        outbox,
        smtp == null ? new FileDelivery(directory, sender) : new SmtpDelivery(smtp, sender),
        POLL);
  }

  public void start() {
    outbox.onAdd(this::wakeUp);
    thread.start();
  }

  /** Looks for due mails at once. */
  private void wakeUp() {
    wakeUps.release();
  }

  public long sent() {
    return sent.sum();
  }

  /** Returns the tries that failed and are repeated. */
  public long retried() {
    return retried.sum();
  }

  /** Returns the mails whose last try failed. */
  public long failed() {
    return failed.sum();
  }

  private void run() {
    while (!isClosed) {
      deliverDue();
      try {
        if (wakeUps.tryAcquire(poll.toMillis(), TimeUnit.MILLISECONDS)) {
          wakeUps.drainPermits();
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Delivers all mails that are due. */
  void deliverDue() {
    long begunNanos = System.nanoTime();
    try {
      Optional<MailOutbox.Leased> next = outbox.lease();
      while (next.isPresent() && !isClosed) {
        deliver(next.get());
        next = outbox.lease();
      }
      outage.succeeded(begunNanos);
    } catch (SQLException | RuntimeException e) {
      if (!outage.isCauseOf(e)) {
        LOG.warn("mails cannot be sent and will be retried: {}", e.getMessage());
      }
    }
  }

  private void deliver(MailOutbox.Leased mail) throws SQLException {
    if (mail.message().isEmpty()) {
      fail(mail, "its master key is not configured");
      return;
    }
    try {
      delivery.deliver(mail.message().get(), mail.createdAt());
    } catch (IOException e) {
      fail(mail, String.valueOf(e.getMessage()));
      return;
    }
    outbox.delivered(mail.id());
    sent.increment();
  }

  private void fail(MailOutbox.Leased mail, String why) throws SQLException {
    if (outbox.failed(mail)) {
      retried.increment();
      LOG.warn("the mail {} was not sent and will be retried: {}", mail.id(), why);
    } else {
      failed.increment();
      LOG.error("the mail {} was not sent in {} attempts: {}", mail.id(), mail.attempts(), why);
    }
  }

  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
  }
}
