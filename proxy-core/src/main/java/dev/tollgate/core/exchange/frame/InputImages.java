package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.egress.Fetch;
import dev.tollgate.core.egress.FetchResult;
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
 * It keeps them until the request's end. Ended exactly once. Loop-confined.
 */
public final class InputImages {
  private static final int AT_ONCE_MAX = 4;

  private final ExchangeContext context;
  private final OrgId org;
  private final RequestLoop loop;
  private final List<InflightBytes.Permit> permits = new ArrayList<>();
  private final List<Fetch> fetches = new ArrayList<>();
  private Map<Integer, FetchResult.Image> images = Map.of();
  private List<MediaUrl> wanted = List.of();
  private int begun;
  private boolean failed;
  private boolean ended;

  /** What waits for the images; called once, and not after the end. */
  public interface Listener {
    void fetched();

    void refused(Fault fault, RequestOutcome ending);
  }

  public InputImages(ExchangeContext context, ExchangeRequest request, RequestLoop loop) {
    this.context = context;
    this.org = request.key().org().id();
    this.loop = loop;
  }

  /** True if none is held. */
  public boolean isEmpty() {
    return images.isEmpty();
  }

  /** Returns the fetched images by their index among all images of the request. */
  public Map<Integer, FetchResult.Image> all() {
    return Map.copyOf(images);
  }

  /**
   * Begins to fetch; the listener is called once, unless the request ends before. It is not called
   * twice.
   */
  public void begin(List<MediaUrl> urls, Listener listener) {
    loop.check();
    wanted = urls;
    images = new HashMap<>();
    beginMore(listener);
  }

  /** Starts fetches up to the limit; each image that arrives starts the next. */
  private void beginMore(Listener listener) {
    while (!ended && !failed && begun < wanted.size() && begun - images.size() < AT_ONCE_MAX) {
      begin(wanted.get(begun++), listener);
    }
  }

  private void begin(MediaUrl one, Listener listener) {
    InflightBytes.Permit permit = context.inflight().tryAcquire(0).orElseThrow();
    permits.add(permit);
    Consumer<FetchResult> whenDone = loop.guarded(done -> ended(one, done, listener));
    fetches.add(
        context
            .media()
            .images()
            .fetch(org, one.url(), one.param(), loop.eventLoop(), permit::resize, whenDone));
  }

  private void ended(MediaUrl one, FetchResult done, Listener listener) {
    if (ended || failed) {
      return;
    }
    switch (done) {
      case FetchResult.Image image -> {
        images.put(one.index(), image);
        if (images.size() == wanted.size()) {
          listener.fetched();
        } else {
          beginMore(listener);
        }
      }
      case FetchResult.Failed failure -> {
        failed = true;
        cancel();
        boolean isFull = failure.fault().code() == ErrorCode.SERVICE_UNAVAILABLE;
        listener.refused(failure.fault(), isFull ? RequestOutcome.SHED : RequestOutcome.REJECTED);
      }
    }
  }

  /** Cancels what is still being fetched and releases the images. */
  public void end() {
    loop.check();
    ended = true;
    cancel();
  }

  private void cancel() {
    fetches.forEach(Fetch::cancel);
    fetches.clear();
    release();
  }

  /** Releases the fetched images. */
  public void release() {
    loop.check();
    permits.forEach(InflightBytes.Permit::end);
    permits.clear();
    images = Map.of();
  }
}
