package dev.tollgate.server.webhook;

import dev.tollgate.core.egress.FetchOutcome;
import dev.tollgate.core.egress.PostResult;
import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.DeliveryOutcome;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.NextStep;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import dev.tollgate.core.webhook.Outbox.ReceiverReply;
import dev.tollgate.core.webhook.Outbox.RecordResult;
import dev.tollgate.core.webhook.WebhookObserver;
import dev.tollgate.core.webhook.WebhookRequest;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivery attempt of a claimed webhook event, from the job's payload to the recorded outcome.
 * After a failure on the gateway's side the lease expires and the same attempt is made again. Calls
 * block; instances are thread-safe.
 */
final class WebhookDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookDelivery.class);

  /** Delay before another claim of an event for which this node had no room or time. */
  private static final Duration REQUEUE_DELAY = Duration.ofSeconds(1);

  private final Outbox outbox;
  private final JobPayloads jobs;
  private final WebhookTransport transport;
  private final WebhookObserver observer;
  private final Timing timing;

  /** Sources of time and randomness for delivery attempts. */
  record Timing(
      InstantSource wall, Ticker ticker, RandomGenerator random, AttemptRecorder.Pause pause) {}

  WebhookDelivery(
      Outbox outbox,
      JobPayloads jobs,
      WebhookTransport transport,
      WebhookObserver observer,
      Timing timing) {
    this.outbox = outbox;
    this.jobs = jobs;
    this.transport = transport;
    this.observer = observer;
    this.timing = timing;
  }

  /** Makes the claimed attempt. On an interrupt it releases the lease. */
  void run(ClaimedEvent event, SenderRules rules, long claimedNanos) throws OutboxException {
    try {
      attempt(event, rules, claimedNanos);
    } catch (InterruptedException e) {
      release(event, Duration.ZERO);
      Thread.currentThread().interrupt();
    }
  }

  private void attempt(ClaimedEvent event, SenderRules rules, long claimedNanos)
      throws OutboxException, InterruptedException {
    Optional<byte[]> job = jobs.of(event);
    if (job.isEmpty()) {
      recordAttempt(event, rules, ReceiverReply.REMOVED, Duration.ZERO, new NextStep.Failed());
      return;
    }
    long begun = timing.ticker().nanoTime();
    Duration waited = Duration.ofNanos(begun - claimedNanos);
    if (waited.compareTo(SenderRules.BEGIN_MAX) > 0) {
      LOG.info("webhook {} delayed, the store took {} s", event.id(), waited.toSeconds());
      release(event, REQUEUE_DELAY);
      return;
    }
    long epochSeconds = timing.wall().instant().getEpochSecond();
    PostResult posted =
        transport.post(
            event.url(), WebhookRequest.of(event, job.get(), epochSeconds), rules.timeout());
    if (posted instanceof PostResult.Failed(FetchOutcome outcome)
        && outcome == FetchOutcome.NO_ROOM) {
      LOG.info("webhook {} delayed, this node is resolving too many names", event.id());
      release(event, REQUEUE_DELAY);
      return;
    }
    if (event.attempt() == 1) {
      observer.began(event.age().plus(waited));
    }
    Duration took = Duration.ofNanos(timing.ticker().nanoTime() - begun);
    recordAttempt(event, rules, reply(posted), took, next(posted, event, rules));
  }

  private static ReceiverReply reply(PostResult posted) {
    return switch (posted) {
      case PostResult.Answered answered ->
          new ReceiverReply(
              OptionalInt.of(answered.status()),
              switch (DeliveryOutcome.of(posted)) {
                case DELIVERED -> FetchOutcome.OK.wire();
                case GONE -> "gone";
                case RETRY -> FetchOutcome.BAD_STATUS.wire();
              });
      case PostResult.Failed failed ->
          new ReceiverReply(OptionalInt.empty(), failed.outcome().wire());
    };
  }

  private NextStep next(PostResult posted, ClaimedEvent event, SenderRules rules) {
    Duration asked =
        switch (posted) {
          case PostResult.Answered answered -> answered.retryAfter();
          case PostResult.Failed _ -> Duration.ZERO;
        };
    return switch (DeliveryOutcome.of(posted)) {
      case DELIVERED -> new NextStep.Delivered();
      case GONE -> new NextStep.Gone();
      case RETRY ->
          rules
              .schedule()
              .delayAfter(event.attempt(), asked, timing.random())
              .<NextStep>map(NextStep.Retry::new)
              .orElseGet(NextStep.Failed::new);
    };
  }

  private void recordAttempt(
      ClaimedEvent event, SenderRules rules, ReceiverReply reply, Duration took, NextStep next)
      throws OutboxException, InterruptedException {
    RecordResult booked =
        new AttemptRecorder(outbox, timing.pause())
            .recordAttempt(new Attempt(event, reply, took, next));
    observer.attempted(reply.outcome(), took);
    switch (booked) {
      case APPLIED -> decided(event, rules, reply, next);
      case SUPERSEDED ->
          LOG.info(
              "webhook {} of {}: {} of attempt {} decides nothing, as it was resent, removed or"
                  + " taken by another node",
              event.id(),
              event.request(),
              reply.outcome(),
              event.attempt());
    }
  }

  private void decided(ClaimedEvent event, SenderRules rules, ReceiverReply reply, NextStep next) {
    switch (next) {
      case NextStep.Delivered _ -> observer.ended("delivered");
      case NextStep.Gone _ -> {
        logUndelivered(event, rules, reply, "receiver is gone");
        observer.ended("gone");
      }
      case NextStep.Failed _ -> {
        logUndelivered(event, rules, reply, "no attempts left");
        observer.ended("failed");
      }
      case NextStep.Retry again ->
          logUndelivered(event, rules, reply, "next in " + again.delay().toSeconds() + " s");
    }
  }

  /** Logs the host only: the path and the query of the URL may contain secrets. */
  private static void logUndelivered(
      ClaimedEvent event, SenderRules rules, ReceiverReply reply, String then) {
    LOG.info(
        "webhook {} of {} was not delivered to {}: {}{}, attempt {} of {}, {}",
        event.id(),
        event.request(),
        origin(event.url()),
        reply.outcome(),
        reply.status().isPresent() ? " " + reply.status().getAsInt() : "",
        event.attempt(),
        rules.schedule().delays().size(),
        then);
  }

  private static String origin(String url) {
    return switch (PublicUrl.parse(url)) {
      case PublicUrl.UrlParseResult.Valid fine -> fine.url().toString();
      case PublicUrl.UrlParseResult.Malformed _, PublicUrl.UrlParseResult.Refused _ ->
          "a URL that may not be called";
    };
  }

  private void release(ClaimedEvent event, Duration pause) {
    try {
      outbox.release(event, pause);
    } catch (OutboxException e) {
      LOG.debug("webhook {} stays leased until its lease expires", event.id(), e);
    }
  }
}
