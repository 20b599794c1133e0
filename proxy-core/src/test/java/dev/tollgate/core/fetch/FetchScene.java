package dev.tollgate.core.fetch;

import dev.tollgate.core.address.CidrSet;
import dev.tollgate.core.address.UrlRules;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.ScriptedConnector;
import dev.tollgate.core.testkit.ScriptedNames;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One loop in frozen time, from which images are fetched from servers that the test plays. */
final class FetchScene implements AutoCloseable {
  static final int BYTES_MAX = 64 * 1024;
  static final OrgId ORG = new OrgId(new UUID(1, 2));

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  final ScriptedConnector connector = new ScriptedConnector(allocator);
  final ScriptedNames names = new ScriptedNames();
  final PublicAddressResolver resolver = new PublicAddressResolver(names);
  final List<String> metrics = new ArrayList<>();
  final Fetcher fetcher;
  final Poster poster;
  final UrlRules urls;
  long roomMax = Long.MAX_VALUE;

  FetchScene() {
    this(List.of(), List.of());
  }

  FetchScene(List<String> allowed, List<String> own) {
    urls =
        new UrlRules(
            Set.of(443, 8443),
            Set.of(),
            CidrSet.parse(allowed),
            CidrSet.NONE,
            Set.of(),
            CidrSet.parse(own));
    var publicConnector = new PublicConnector(resolver, connector);
    poster = new Poster(publicConnector, () -> new PostRules(urls, Duration.ofSeconds(10)));
    fetcher =
        new Fetcher(
            publicConnector,
            () -> new FetchRules(urls, BYTES_MAX, Duration.ofSeconds(15), 3),
            (outcome, bytes, took) ->
                metrics.add(outcome.wire() + " " + bytes + " " + took.toMillis()));
    names.answer("good.example", "93.184.216.34");
  }

  /** A fetch and what came of it. */
  static final class Asked {
    @Nullable Fetch fetch;
    @Nullable Fetched outcome;

    FetchOutcome failure() {
      if (outcome instanceof Fetched.Failed failed) {
        return failed.outcome();
      }
      throw new AssertionError("no failure but " + outcome);
    }

    Fetched.Failed failed() {
      return (Fetched.Failed) Objects.requireNonNull(outcome);
    }

    Fetched.Image image() {
      if (outcome instanceof Fetched.Image image) {
        return image;
      }
      throw new AssertionError("no image but " + outcome);
    }

    void cancel() {
      Objects.requireNonNull(fetch).cancel();
    }
  }

  Asked fetch(String url) {
    return fetch(ORG, url);
  }

  Asked fetch(OrgId org, String url) {
    Asked asked = new Asked();
    asked.fetch =
        fetcher.fetch(
            org,
            url,
            "input_images[0]",
            loop.eventLoop(),
            bytes -> bytes <= roomMax,
            done -> asked.outcome = done);
    run();
    return asked;
  }

  /** What came of POSTs of one body, in the order of their ends. */
  List<Posted> post(String url, byte[] body) {
    List<Posted> outcomes = new ArrayList<>();
    var _ = begin(url, body, outcomes);
    run();
    return outcomes;
  }

  /** Begins a POST, whose end is added to {@code outcomes}. */
  Post begin(String url, byte[] body, List<Posted> outcomes) {
    var field = new Field("x-of-ours", "yes");
    return poster.post(url, List.of(field), body, loop.eventLoop(), outcomes::add);
  }

  io.netty.channel.EventLoop loop() {
    return loop.eventLoop();
  }

  ProviderLink link(int n) {
    run();
    return connector.links().get(n);
  }

  int links() {
    return connector.links().size();
  }

  void run() {
    boolean busy = true;
    while (busy) {
      loop.runPendingTasks();
      busy = connector.runLinks() || loop.hasPendingTasks();
    }
  }

  void passSeconds(long seconds) {
    for (long passed = 0; passed < 10 * seconds; passed++) {
      ticker.advanceMillis(100);
      run();
    }
  }

  @Override
  public void close() {
    run();
    require(fetcher.underWay() == 0, fetcher.underWay() + " fetches are under way");
    require(poster.underWay() == 0, poster.underWay() + " POSTs are under way");
    require(resolver.underWay() == 0, resolver.underWay() + " look-ups are under way");
    require(names.pending() == 0, "DNS is still asked");
    require(connector.pending() == 0, "a connection is still being made");
    for (ProviderLink link : connector.links()) {
      require(!link.isOpen(), "open: " + link);
      link.received();
    }
    run();
    require(loop.runScheduledPendingTasks() == -1, "a timer is left");
    require(allocator.metric().usedHeapMemory() == 0, "LEAK");
    var _ = loop.close();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
