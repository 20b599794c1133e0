package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.RemoteImage;
import dev.tollgate.core.egress.Fetch;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Fetcher of the images that a request names by URL, a few at a time, before a provider is asked.
 * It keeps them until the request's end. An image that cannot be fetched refuses the request. Ended
 * exactly once. Loop-confined.
 */
final class InputImages {
  private static final int AT_ONCE_MAX = 4;

  private final ExchangeContext context;
  private final OrgId org;
  private final List<RemoteImage> wanted;
  private final RequestLoop loop;
  private final Timeline timeline;
  private final List<InflightBytes.Permit> permits = new ArrayList<>();
  private final List<Fetch> fetches = new ArrayList<>();
  private final Map<Integer, FetchResult.Image> images = new HashMap<>();
  private int begun;
  private boolean ended;

  /** Admission, as it waits for the images; called once, and not after the end. */
  interface Listener {
    void fetched();

    void refused(Fault fault, RequestOutcome ending);
  }

  InputImages(
      ExchangeContext context,
      ExchangeRequest request,
      InferenceCall call,
      Timeline timeline,
      RequestLoop loop) {
    this.context = context;
    this.org = request.key().org().id();
    this.wanted = call.request().remoteImages();
    this.loop = loop;
    this.timeline = timeline;
  }

  boolean isEmpty() {
    return wanted.isEmpty();
  }

  /** Returns the fetched images by their index among all images of the request. */
  Map<Integer, FetchResult.Image> all() {
    return Map.copyOf(images);
  }

  /** Begins to fetch; the listener is called once, unless the request ends before. */
  void begin(Listener listener) {
    loop.check();
    timeline.fetchBegins(loop.now());
    beginMore(listener);
  }

  /** Starts fetches up to the limit; each image that arrives starts the next. */
  private void beginMore(Listener listener) {
    while (!ended && begun < wanted.size() && begun - images.size() < AT_ONCE_MAX) {
      begin(wanted.get(begun++), listener);
    }
  }

  private void begin(RemoteImage one, Listener listener) {
    InflightBytes.Permit permit = context.inflight().tryAcquire(0).orElseThrow();
    permits.add(permit);
    Consumer<FetchResult> whenDone = loop.guarded(done -> ended(one, done, listener));
    fetches.add(
        context
            .media()
            .images()
            .fetch(org, one.url(), one.param(), loop.eventLoop(), permit::resize, whenDone));
  }

  private void ended(RemoteImage one, FetchResult done, Listener listener) {
    if (ended) {
      return;
    }
    switch (done) {
      case FetchResult.Image image -> {
        images.put(one.index(), image);
        if (images.size() == wanted.size()) {
          timeline.fetchEnds(loop.now());
          listener.fetched();
        } else {
          beginMore(listener);
        }
      }
      case FetchResult.Failed failed -> {
        boolean isFull = failed.fault().code() == ErrorCode.SERVICE_UNAVAILABLE;
        listener.refused(failed.fault(), isFull ? RequestOutcome.SHED : RequestOutcome.REJECTED);
      }
    }
  }

  /** Cancels what is still being fetched and releases the images. */
  void end() {
    loop.check();
    ended = true;
    timeline.fetchEnds(loop.now());
    fetches.forEach(Fetch::cancel);
    fetches.clear();
    release();
  }

  /** Releases the fetched images. */
  void release() {
    loop.check();
    permits.forEach(InflightBytes.Permit::end);
    permits.clear();
    images.clear();
  }
}
