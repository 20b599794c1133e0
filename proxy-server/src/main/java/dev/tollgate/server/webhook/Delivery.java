package dev.tollgate.server.webhook;

import dev.tollgate.core.address.PublicUrl;
import dev.tollgate.core.fetch.FetchOutcome;
import dev.tollgate.core.fetch.Posted;
import dev.tollgate.core.webhook.Announcement;
import dev.tollgate.core.webhook.Due;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.Booked;
import dev.tollgate.core.webhook.Outbox.Next;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import dev.tollgate.core.webhook.Outbox.Reply;
import dev.tollgate.core.webhook.Verdict;
import dev.tollgate.core.webhook.WebhookObserver;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt, from the job's text to the booked outcome. What fails on our side costs the receiver
 * nothing: the lease runs out, and the same attempt is made again. Blocks; shared by all threads.
 */
final class Delivery {
  private static final Logger log = LoggerFactory.getLogger(Delivery.class);

  /** Before somebody tries again what this node had no room or no time for. */
  private static final Duration BREATHER = Duration.ofSeconds(1);

  private final Outbox outbox;
  private final JobTexts jobs;
  private final Wire wire;
  private final WebhookObserver observer;
  private final Means means;

  /** What time and chance are to deliveries. */
  record Means(InstantSource wall, Ticker ticker, RandomGenerator random, Booker.Pause pause) {}

  Delivery(Outbox outbox, JobTexts jobs, Wire wire, WebhookObserver observer, Means means) {
    this.outbox = outbox;
    this.jobs = jobs;
    this.wire = wire;
    this.observer = observer;
    this.means = means;
  }

  /** Makes the attempt that was claimed then. Interrupted, it gives the lease back. */
  void run(Due due, SenderRules rules, long claimedNanos) {
    try {
      attempt(due, rules, claimedNanos);
    } catch (OutboxException e) {
      log.warn("webhook {} has to wait for the store: {}", due.id(), e.getMessage());
    } catch (InterruptedException e) {
      giveBack(due, Duration.ZERO);
      Thread.currentThread().interrupt();
    }
  }

  private void attempt(Due due, SenderRules rules, long claimedNanos)
      throws OutboxException, InterruptedException {
    Optional<byte[]> job = jobs.of(due);
    if (job.isEmpty()) {
      book(due, rules, Reply.REMOVED, Duration.ZERO, new Next.Failed());
      return;
    }
    long begun = means.ticker().nanoTime();
    Duration waited = Duration.ofNanos(begun - claimedNanos);
    if (waited.compareTo(SenderRules.BEGIN_MAX) > 0) {
      log.info("webhook {} has to wait: the store took {} s", due.id(), waited.toSeconds());
      giveBack(due, BREATHER);
      return;
    }
    long epochSeconds = means.wall().instant().getEpochSecond();
    Posted posted =
        wire.post(due.url(), Announcement.of(due, job.get(), epochSeconds), rules.timeout());
    if (posted instanceof Posted.Failed(FetchOutcome outcome) && outcome == FetchOutcome.NO_ROOM) {
      log.info("webhook {} has to wait: this node looks up too many names", due.id());
      giveBack(due, BREATHER);
      return;
    }
    if (due.attempt() == 1) {
      observer.began(due.age().plus(waited));
    }
    Duration took = Duration.ofNanos(means.ticker().nanoTime() - begun);
    book(due, rules, reply(posted), took, next(posted, due, rules));
  }

  private static Reply reply(Posted posted) {
    return switch (posted) {
      case Posted.Answered answered ->
          new Reply(
              OptionalInt.of(answered.status()),
              switch (Verdict.of(posted)) {
                case DELIVERED -> FetchOutcome.OK.wire();
                case GONE -> "gone";
                case AGAIN -> FetchOutcome.BAD_STATUS.wire();
              });
      case Posted.Failed failed -> new Reply(OptionalInt.empty(), failed.outcome().wire());
    };
  }

  private Next next(Posted posted, Due due, SenderRules rules) {
    Duration asked =
        switch (posted) {
          case Posted.Answered answered -> answered.retryAfter();
          case Posted.Failed _ -> Duration.ZERO;
        };
    return switch (Verdict.of(posted)) {
      case DELIVERED -> new Next.Delivered();
      case GONE -> new Next.Gone();
      case AGAIN ->
          rules
              .schedule()
              .after(due.attempt(), asked, means.random())
              .<Next>map(Next.Again::new)
              .orElseGet(Next.Failed::new);
    };
  }

  private void book(Due due, SenderRules rules, Reply reply, Duration took, Next next)
      throws OutboxException, InterruptedException {
    Booked booked = new Booker(outbox, means.pause()).book(new Attempt(due, reply, took, next));
    observer.attempted(reply.outcome(), took);
    switch (booked) {
      case DECIDED -> decided(due, rules, reply, next);
      case LATE ->
          log.info(
              "webhook {} of {}: {} of attempt {} decides nothing, as it was resent, removed or"
                  + " taken by another node",
              due.id(),
              due.request(),
              reply.outcome(),
              due.attempt());
    }
  }

  private void decided(Due due, SenderRules rules, Reply reply, Next next) {
    switch (next) {
      case Next.Delivered _ -> observer.ended("delivered");
      case Next.Gone _ -> {
        tell(due, rules, reply, "its receiver wants no more");
        observer.ended("gone");
      }
      case Next.Failed _ -> {
        tell(due, rules, reply, "it is given up");
        observer.ended("failed");
      }
      case Next.Again again ->
          tell(due, rules, reply, "next in " + again.pause().toSeconds() + " s");
    }
  }

  /** Without the path and the query of the URL, where clients keep secrets. */
  private static void tell(Due due, SenderRules rules, Reply reply, String then) {
    log.info(
        "webhook {} of {} was not delivered to {}: {}{}, attempt {} of {}, {}",
        due.id(),
        due.request(),
        origin(due.url()),
        reply.outcome(),
        reply.status().isPresent() ? " " + reply.status().getAsInt() : "",
        due.attempt(),
        rules.schedule().waits().size(),
        then);
  }

  private static String origin(String url) {
    return switch (PublicUrl.read(url)) {
      case PublicUrl.Read.Fine fine -> fine.url().toString();
      case PublicUrl.Read.Malformed _, PublicUrl.Read.Refused _ -> "what is no public URL";
    };
  }

  private void giveBack(Due due, Duration pause) {
    try {
      outbox.release(due, pause);
    } catch (OutboxException e) {
      log.debug("webhook {} stays leased until that runs out", due.id(), e);
    }
  }
}
