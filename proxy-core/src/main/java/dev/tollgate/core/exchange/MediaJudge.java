package dev.tollgate.core.exchange;

import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.egress.UrlGuard;
import dev.tollgate.core.egress.UrlGuard.CheckResult;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.net.PublicUrl;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judge of the media URLs of one request: each host is resolved once, and a few at a time.
 * Loop-confined.
 */
final class MediaJudge {
  private static final int AT_ONCE_MAX = 8;

  private final UrlGuard guard;
  private final RequestLoop loop;
  private final List<MediaUrl> waiting = new ArrayList<>();
  private final Map<String, CheckResult> results = new HashMap<>();
  private int begun;

  MediaJudge(UrlGuard guard, RequestLoop loop) {
    this.guard = guard;
    this.loop = loop;
  }

  /** Begins; calls back when all is judged, perhaps before this method returns. */
  void begin(List<MediaUrl> urls, Runnable whenJudged) {
    Map<String, MediaUrl> firsts = new HashMap<>();
    for (MediaUrl url : urls) {
      if (firsts.putIfAbsent(origin(url), url) == null) {
        waiting.add(url);
      }
    }
    beginMore(whenJudged);
  }

  private void beginMore(Runnable whenJudged) {
    while (begun < waiting.size() && begun - results.size() < AT_ONCE_MAX) {
      MediaUrl url = waiting.get(begun++);
      guard.check(
          url.url(),
          url.param(),
          loop.eventLoop(),
          loop.guarded(judged -> judged(url, judged, whenJudged)));
    }
  }

  private void judged(MediaUrl url, CheckResult judged, Runnable whenJudged) {
    results.put(origin(url), judged);
    if (results.size() == waiting.size()) {
      whenJudged.run();
    } else {
      beginMore(whenJudged);
    }
  }

  /** Returns the judgement of a URL; a refusal names the first URL of its host. */
  CheckResult of(MediaUrl url) {
    return results.getOrDefault(origin(url), new CheckResult.Busy());
  }

  /** Returns scheme, host and port of a URL, or all of one that has none. */
  private static String origin(MediaUrl url) {
    return PublicUrl.parse(url.url()) instanceof PublicUrl.UrlParseResult.Valid valid
        ? valid.url().toString()
        : url.url();
  }
}
