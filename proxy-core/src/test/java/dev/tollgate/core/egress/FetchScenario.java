package dev.tollgate.core.egress;

import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.net.UrlRules;
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

/** One loop in frozen time that fetches images from servers played by the test. */
public final class FetchScenario implements AutoCloseable {
  public static final int BYTES_MAX = 64 * 1024;
  static final OrgId ORG = new OrgId(new UUID(1, 2));

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  public final ScriptedConnector connector = new ScriptedConnector(allocator);
  public final ScriptedNames names = new ScriptedNames();
  final PublicAddressResolver resolver = new PublicAddressResolver(names);
  public final List<String> metrics = new ArrayList<>();
  final ImageFetchClient fetcher;
  public final PostClient poster;
  final UrlRules urls;
  public long roomMax = Long.MAX_VALUE;

  public FetchScenario() {
    this(List.of(), List.of());
  }

  FetchScenario(List<String> allowed, List<String> own) {
    urls =
        new UrlRules(
            Set.of(443, 8443),
            Set.of(),
            CidrSet.parse(allowed),
            CidrSet.NONE,
            Set.of(),
            CidrSet.parse(own));
    var publicConnector = new PublicConnector(resolver, connector);
    poster = new PostClient(publicConnector, () -> new PostRules(urls, Duration.ofSeconds(10)));
    fetcher =
        new ImageFetchClient(
            publicConnector,
            () -> new FetchRules(urls, BYTES_MAX, Duration.ofSeconds(15), 3),
            (outcome, bytes, took) ->
                metrics.add(outcome.wire() + " " + bytes + " " + took.toMillis()));
    names.answer("good.example", "93.184.216.34");
  }

  /** Fetch and its result. */
  public static final class PendingFetch {
    @Nullable Fetch fetch;
    @Nullable public FetchResult outcome;

    public FetchOutcome failure() {
      if (outcome instanceof FetchResult.Failed failed) {
        return failed.outcome();
      }
      throw new AssertionError("no failure but " + outcome);
    }

    public FetchResult.Failed failed() {
      return (FetchResult.Failed) Objects.requireNonNull(outcome);
    }

    public FetchResult.Image image() {
      if (outcome instanceof FetchResult.Image image) {
        return image;
      }
      throw new AssertionError("no image but " + outcome);
    }

    public void cancel() {
      Objects.requireNonNull(fetch).cancel();
    }
  }

  public PendingFetch fetch(String url) {
    return fetch(ORG, url);
  }

  public PendingFetch fetch(OrgId org, String url) {
    PendingFetch asked = new PendingFetch();
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

  /** Returns the results of POSTs of one body, in the order of their ends. */
  public List<PostResult> post(String url, byte[] body) {
    List<PostResult> outcomes = new ArrayList<>();
    var _ = begin(url, body, outcomes);
    run();
    return outcomes;
  }

  /** Starts a POST whose result is added to {@code outcomes}. */
  public Post begin(String url, byte[] body, List<PostResult> outcomes) {
    var field = new Field("x-of-ours", "yes");
    return poster.post(url, List.of(field), body, loop.eventLoop(), outcomes::add);
  }

  io.netty.channel.EventLoop loop() {
    return loop.eventLoop();
  }

  public ProviderLink link(int n) {
    run();
    return connector.links().get(n);
  }

  public int links() {
    return connector.links().size();
  }

  public void run() {
    boolean busy = true;
    while (busy) {
      loop.runPendingTasks();
      busy = connector.runLinks() || loop.hasPendingTasks();
    }
  }

  public void passSeconds(long seconds) {
    for (long passed = 0; passed < 10 * seconds; passed++) {
      ticker.advanceMillis(100);
      run();
    }
  }

  @Override
  public void close() {
    run();
    require(fetcher.inFlight() == 0, fetcher.inFlight() + " fetches are under way");
    require(poster.inFlight() == 0, poster.inFlight() + " POSTs are under way");
    require(resolver.inFlight() == 0, resolver.inFlight() + " name resolutions are in progress");
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
