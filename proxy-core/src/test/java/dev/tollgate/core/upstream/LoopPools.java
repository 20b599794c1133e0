package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.ScriptedConnector;
import dev.tollgate.core.testkit.TestCatalog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Event loops on a manual clock, each with its pool, and one provider that the test plays. */
final class LoopPools implements AutoCloseable {
  private final MockTicker ticker = Ticker.newMockTicker();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false, true);
  final ScriptedConnector connector = new ScriptedConnector(allocator);
  final Upstreams upstreams = new Upstreams(connector);
  final Provider provider;
  private final List<EmbeddedChannel> loops = new ArrayList<>();

  LoopPools(int count, int connectionsMax, int pendingMax) {
    this.provider =
        TestCatalog.with(
            TestCatalog.provider("alpha"),
            new PoolLimits(connectionsMax, pendingMax, Duration.ofSeconds(30)));
    for (int n = 0; n < count; n++) {
      loops.add(EmbeddedChannel.builder().ticker(ticker).build());
    }
  }

  /** A request for a lease and its outcome. */
  final class LeaseRequest implements UpstreamListener {
    private final Acquisition acquisition;
    @Nullable AcquisitionResult outcome;

    private LeaseRequest(int loop, boolean fresh) {
      UpstreamPool pool = upstreams.on(loops.get(loop).eventLoop());
      acquisition = pool.acquire(provider, fresh, done -> outcome = done);
    }

    void cancel() {
      acquisition.cancel();
      run();
    }

    boolean isLeased() {
      return outcome instanceof AcquisitionResult.Leased;
    }

    Lease lease() {
      if (outcome instanceof AcquisitionResult.Leased leased) {
        return leased.lease();
      }
      throw new AssertionError("no lease but " + outcome);
    }

    /** Ends the lease without a reply: its connection is closed. */
    void drop() {
      lease().end();
      run();
    }

    /** Answers the request over {@code link}, so that the connection returns to the pool. */
    void serve(ProviderLink link) {
      serve(link, () -> {});
    }

    /** Answers the request after running {@code before}. */
    void serve(ProviderLink link, Runnable before) {
      lease().send(List.of(allocator.buffer(1).writeByte('x')), this);
      lease().read();
      before.run();
      link.send(OpenAiWire.completion("fine"));
      run();
    }

    @Override
    public void head(ResponseHead head) {}

    @Override
    public void body(ByteBuf bytes) {
      bytes.release();
    }

    @Override
    public void readComplete() {}

    @Override
    public void bodyEnd() {
      lease().end();
    }

    @Override
    public void connectionFailed(ConnectionFailure breakage) {
      throw new AssertionError(breakage);
    }
  }

  LeaseRequest request(int loop) {
    LeaseRequest request = new LeaseRequest(loop, false);
    run();
    return request;
  }

  LeaseRequest requestFresh(int loop) {
    LeaseRequest request = new LeaseRequest(loop, true);
    run();
    return request;
  }

  ProviderLink link(int n) {
    return connector.links().get(n);
  }

  int links() {
    return connector.links().size();
  }

  Upstreams.Gauge gauge() {
    return upstreams.gauges().getFirst();
  }

  void run() {
    boolean busy = true;
    while (busy) {
      busy = false;
      for (EmbeddedChannel loop : loops) {
        loop.runPendingTasks();
      }
      for (EmbeddedChannel loop : loops) {
        busy |= loop.hasPendingTasks();
      }
    }
  }

  void passMillis(long millis) {
    for (long passed = 0; passed < millis; passed += 100) {
      ticker.advanceMillis(100);
      run();
    }
  }

  @Override
  public void close() {
    upstreams.close();
    run();
    for (Upstreams.Gauge gauge : upstreams.gauges()) {
      if (gauge.open() + gauge.leased() + gauge.pending() != 0) {
        throw new AssertionError("not released: " + gauge);
      }
    }
    connector.links().forEach(ProviderLink::received);
    long bytes = allocator.metric().usedHeapMemory();
    if (bytes != 0) {
      throw new AssertionError("LEAK: " + bytes + " bytes");
    }
    for (EmbeddedChannel loop : loops) {
      if (loop.runScheduledPendingTasks() != -1) {
        throw new AssertionError("a timer is left");
      }
      var _ = loop.close();
    }
  }
}
