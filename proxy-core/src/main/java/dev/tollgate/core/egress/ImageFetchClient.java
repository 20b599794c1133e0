package dev.tollgate.core.egress;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.PerOrgLimit;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * Downloads images from clients' URLs under concurrency limits per node and per organization. An
 * organization that names slow hosts thus does not block the others. Shared by all loops.
 */
public final class ImageFetchClient implements ImageFetcher {
  /** Fetches in progress on one node. */
  public static final int FETCHES_MAX = 256;

  /** Fetches in progress of one organization on one node. */
  public static final int FETCHES_PER_ORG_MAX = 32;

  private final PublicConnector connector;
  private final Supplier<FetchRules> rules;
  private final FetchObserver observer;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final PerOrgLimit orgSlots = new PerOrgLimit(FETCHES_PER_ORG_MAX);

  public ImageFetchClient(
      PublicConnector connector, Supplier<FetchRules> rules, FetchObserver observer) {
    this.connector = connector;
    this.rules = rules;
    this.observer = observer;
  }

  /** Returns the number of fetches that have not ended. */
  public int inFlight() {
    return inFlight.get();
  }

  @Override
  public Fetch fetch(
      OrgId org,
      String url,
      String param,
      EventLoop loop,
      LongPredicate room,
      Consumer<FetchResult> whenDone) {
    assert loop.inEventLoop();
    boolean isOrgLimited = !orgSlots.tryBegin(org);
    boolean isFull = inFlight.incrementAndGet() > FETCHES_MAX;
    Fetch.EndListener listener =
        (fetched, bytes, took) -> {
          inFlight.decrementAndGet();
          if (!isOrgLimited) {
            orgSlots.end(org);
          }
          ended(fetched, bytes, took, whenDone);
        };
    var fetch = new Fetch(connector, rules.get(), loop, param, room, listener);
    if (isOrgLimited) {
      fetch.refuseOrgLimit();
    } else if (isFull) {
      fetch.refuseNodeLimit();
    } else {
      fetch.start(url);
    }
    return fetch;
  }

  private void ended(
      FetchResult fetched, long bytes, Duration took, Consumer<FetchResult> whenDone) {
    FetchOutcome outcome =
        switch (fetched) {
          case FetchResult.Image _ -> FetchOutcome.OK;
          case FetchResult.Failed failed -> failed.outcome();
        };
    observer.ended(outcome, bytes, took);
    if (outcome != FetchOutcome.CANCELLED) {
      whenDone.accept(fetched);
    }
  }
}
