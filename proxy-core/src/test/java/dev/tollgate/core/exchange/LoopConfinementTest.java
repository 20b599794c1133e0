package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.egress.Fetch;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.exchange.frame.AdmissionPorts;
import dev.tollgate.core.exchange.frame.Body;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.JobService;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.ProviderPorts;
import dev.tollgate.core.exchange.frame.RecordSinks;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.LimitObserver;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.testkit.InMemoryIdempotencyStore;
import dev.tollgate.core.testkit.ScriptedAccountBalances;
import dev.tollgate.core.testkit.ScriptedConnector;
import dev.tollgate.core.testkit.ScriptedNames;
import dev.tollgate.core.testkit.ScriptedOffload;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A request that is called on another thread than its event loop fails at once. */
class LoopConfinementTest {
  private static final Fault STOPPING =
      Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "The service is shutting down.");

  private final EventLoop loop = new DefaultEventLoop();
  private final InflightBytes inflight = new InflightBytes(1 << 20);
  private final List<RequestRecord> records = new CopyOnWriteArrayList<>();
  private final Client client = new Client(loop);

  /** A call of a running exchange from outside. */
  enum Entrance {
    CLIENT_DISCONNECTED,
    WRITABILITY_CHANGED,
    CUT_SHORT;

    void call(Running running) {
      switch (this) {
        case CLIENT_DISCONNECTED -> running.clientDisconnected(DisconnectReason.ABORTED);
        case WRITABILITY_CHANGED -> running.writabilityChanged();
        case CUT_SHORT -> running.cutShort(STOPPING);
      }
    }
  }

  @AfterEach
  void stopLoop() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @ParameterizedTest
  @EnumSource(Entrance.class)
  void everyEntranceOfAnExchangeNeedsTheLoop(Entrance entrance) throws Exception {
    Running running = loop.submit(() -> exchanges().start(request(), client)).get();
    assertThat(running).isInstanceOf(Exchange.class);
    assertThatThrownBy(() -> entrance.call(running))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("event loop");
    assertThat(records).isEmpty();

    loop.submit(() -> running.clientDisconnected(DisconnectReason.ABORTED)).get();
    assertThat(records).hasSize(1);
  }

  @Test
  void theStartNeedsTheLoop() {
    ExchangeRequest request = request();
    assertThatThrownBy(() -> exchanges().start(request, client)).isInstanceOf(AssertionError.class);
    request.body().end();
  }

  /** The ledger never answers, so that the exchange stays where it is. */
  private Exchanges exchanges() {
    var limits =
        new Limits(
            new LocalCounters(() -> 0, 1_000),
            () -> LimitRules.OFF,
            new NoObserver(),
            new RefusalCache());
    return new Exchanges(
        new ProviderPorts(
            new Upstreams(new ScriptedConnector(UnpooledByteBufAllocator.DEFAULT)),
            new Fleet(),
            () -> Instant.EPOCH),
        new AdmissionPorts(new InMemoryIdempotencyStore(() -> 0), (_, _, _, _, _) -> {}, limits),
        new ScriptedAccountBalances(),
        new MediaPorts(
            LoopConfinementTest::noImages,
            new ScriptedNames().guard(),
            new ScriptedNames().providers(),
            new Outputs.Passed(),
            JobService.NONE),
        new RecordSinks(records::add, record -> new byte[0]),
        new BodyPorts(inflight, new ScriptedOffload()),
        ExchangeOptions.DEFAULT);
  }

  private static Fetch noImages(
      OrgId org,
      String url,
      String param,
      EventLoop loop,
      LongPredicate room,
      Consumer<FetchResult> whenDone) {
    throw new AssertionError("no image is named");
  }

  private ExchangeRequest request() {
    byte[] body = TestCatalog.STREAM_REQUEST.getBytes(StandardCharsets.UTF_8);
    return new ExchangeRequest(
        RequestId.at(1_700_000_000_000L),
        Endpoint.CHAT_COMPLETIONS,
        "",
        null,
        new ExchangeRequest.Caller(
            TestCatalog.key(KeyLimits.DEFAULT, KeyScope.ALL, new OrgId(new UUID(1, 2))),
            "192.0.2.7",
            ResponseEventSet.LISTED),
        TestCatalog.of("alpha"),
        0,
        new Body(body, body.length, inflight.tryAcquire(body.length).orElseThrow(), 0));
  }

  private static final class NoObserver implements LimitObserver {
    @Override
    public void refused(Fault fault) {}

    @Override
    public void fallbackSkipped(ModelId model, Fault why) {}
  }

  private record Client(EventLoop loop) implements Downstream {
    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void send(Reply reply) {
      throw new AssertionError("no reply is expected");
    }

    @Override
    public void flush() {}

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void drop() {}
  }
}
