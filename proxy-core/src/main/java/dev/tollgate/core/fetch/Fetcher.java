package dev.tollgate.core.fetch;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.OrgPlaces;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * Fetches images from clients' URLs, so many at once, of which one organization has a part: whoever
 * names hosts that take their time shuts nobody else out. Shared by all loops.
 */
public final class Fetcher implements Images {
  /** Fetches under way on one node. */
  public static final int FETCHES_MAX = 256;

  /** Of these, one organization's. */
  public static final int OF_ORG_MAX = 32;

  private final PublicConnector connector;
  private final Supplier<FetchRules> rules;
  private final FetchObserver observer;
  private final AtomicInteger underWay = new AtomicInteger();
  private final OrgPlaces places = new OrgPlaces(OF_ORG_MAX);

  public Fetcher(PublicConnector connector, Supplier<FetchRules> rules, FetchObserver observer) {
    this.connector = connector;
    this.rules = rules;
    this.observer = observer;
  }

  /** Fetches that have not ended. */
  public int underWay() {
    return underWay.get();
  }

  @Override
  public Fetch fetch(
      OrgId org,
      String url,
      String param,
      EventLoop loop,
      LongPredicate room,
      Consumer<Fetched> whenDone) {
    assert loop.inEventLoop();
    boolean isCrowded = !places.begin(org);
    boolean isFull = underWay.incrementAndGet() > FETCHES_MAX;
    Fetch.Ended ended =
        (fetched, bytes, took) -> {
          underWay.decrementAndGet();
          if (!isCrowded) {
            places.end(org);
          }
          ended(fetched, bytes, took, whenDone);
        };
    var fetch = new Fetch(connector, rules.get(), loop, param, room, ended);
    if (isCrowded) {
      fetch.refuseCrowd();
    } else if (isFull) {
      fetch.refuse();
    } else {
      fetch.begin(url);
    }
    return fetch;
  }

  private void ended(Fetched fetched, long bytes, Duration took, Consumer<Fetched> whenDone) {
    FetchOutcome outcome =
        switch (fetched) {
          case Fetched.Image _ -> FetchOutcome.OK;
          case Fetched.Failed failed -> failed.outcome();
        };
    observer.ended(outcome, bytes, took);
    if (outcome != FetchOutcome.CANCELLED) {
      whenDone.accept(fetched);
    }
  }
}
