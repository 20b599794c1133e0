package dev.tollgate.core.fetch;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/** Fetches images from clients' URLs, so many at once. Shared by all loops. */
public final class Fetcher implements Images {
  /** Fetches under way on one node. */
  public static final int FETCHES_MAX = 256;

  private final PublicConnector connector;
  private final Supplier<FetchRules> rules;
  private final FetchObserver observer;
  private final AtomicInteger underWay = new AtomicInteger();

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
      String url, String param, EventLoop loop, LongPredicate room, Consumer<Fetched> whenDone) {
    assert loop.inEventLoop();
    boolean hasPlace = underWay.incrementAndGet() <= FETCHES_MAX;
    var fetch =
        new Fetch(
            connector,
            rules.get(),
            loop,
            param,
            room,
            (fetched, bytes, took) -> ended(fetched, bytes, took, whenDone));
    if (hasPlace) {
      fetch.begin(url);
    } else {
      fetch.refuse();
    }
    return fetch;
  }

  private void ended(Fetched fetched, long bytes, Duration took, Consumer<Fetched> whenDone) {
    underWay.decrementAndGet();
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
