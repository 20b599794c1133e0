package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * HTTP calls whose whole reply is collected, for callers that are no requests of clients: fetches
 * of tokens, and checks before a start. They go the way of requests to providers.
 */
public final class CollectedCalls {
  private static final int HEAD_BYTES = 1_024;
  private static final PoolLimits POOL = new PoolLimits(4, 16, Duration.ofSeconds(1));

  private final Upstreams upstreams;
  private final Supplier<EventLoop> loops;

  public CollectedCalls(Upstreams upstreams, Supplier<EventLoop> loops) {
    this.upstreams = upstreams;
    this.loops = loops;
  }

  /**
   * Request to an endpoint.
   *
   * @param fields those beside {@code host} and {@code content-length}
   * @param replyBytesMax a longer reply is a failure
   * @param connect time limit of the connection
   * @param total time limit of the whole call
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Call(
      EndpointIdentity endpoint,
      String method,
      String target,
      List<Field> fields,
      byte[] body,
      int replyBytesMax,
      Duration connect,
      Duration total) {}

  /** Result of a call. */
  public sealed interface CallResult {
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Answered(ResponseHead head, byte[] body) implements CallResult {}

    /** There was no connection; {@code reason} begins with the fault. */
    record NotConnected(ConnectFault fault, String reason) implements CallResult {}

    /** The connection broke, or the reply did not come in time or was too long. */
    record Failed(String reason) implements CallResult {}
  }

  /** Makes a call; any thread may begin it. */
  public CompletableFuture<CallResult> begin(Call call) {
    EventLoop loop = loops.get();
    var running = new Running(call, loop);
    loop.execute(() -> running.start(upstreams.on(loop)));
    return running.result;
  }

  /** One call. Confined to its loop; ends its lease once. */
  private static final class Running implements UpstreamListener {
    private final Call call;
    private final EventLoop loop;
    private final CompletableFuture<CallResult> result = new CompletableFuture<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable ScheduledFuture<?> timeout;
    private @Nullable Acquisition acquisition;
    private @Nullable Lease lease;
    private @Nullable ResponseHead head;

    Running(Call call, EventLoop loop) {
      this.call = call;
      this.loop = loop;
    }

    void start(UpstreamPool pool) {
      timeout =
          loop.schedule(
              () ->
                  end(
                      new CallResult.Failed(
                          "no complete answer within " + call.total().toMillis() + " ms")),
              call.total().toMillis(),
              TimeUnit.MILLISECONDS);
      Acquisition pending =
          pool.acquire(call.endpoint(), POOL, call.connect(), true, this::acquired);
      acquisition = result.isDone() || lease != null ? null : pending;
    }

    private void acquired(AcquisitionResult acquired) {
      acquisition = null;
      switch (acquired) {
        case AcquisitionResult.Leased leased when result.isDone() -> leased.lease().end();
        case AcquisitionResult.Leased leased -> send(leased.lease());
        case AcquisitionResult.Unreachable no ->
            end(new CallResult.NotConnected(no.fault(), no.reason()));
        case AcquisitionResult.TimedOut no ->
            end(new CallResult.NotConnected(no.fault(), no.reason()));
        case AcquisitionResult.PoolFull _ ->
            end(new CallResult.Failed("all connections to it are in use"));
      }
    }

    private void send(Lease acquired) {
      lease = acquired;
      acquired.send(List.of(request()), this);
      readComplete();
    }

    private ByteBuf request() {
      ByteBuf out = Unpooled.buffer(HEAD_BYTES + call.body().length);
      HeadWriter.requestLine(out, call.method(), call.target());
      HeadWriter.field(out, "host", call.endpoint().authority());
      call.fields().forEach(field -> HeadWriter.field(out, field));
      if (!call.method().equals("GET")) {
        HeadWriter.contentLength(out, call.body().length);
      }
      HeadWriter.end(out);
      return out.writeBytes(call.body());
    }

    @Override
    public void head(ResponseHead received) {
      head = received;
    }

    @Override
    public void body(ByteBuf bytes) {
      byte[] part = new byte[bytes.readableBytes()];
      bytes.readBytes(part).release();
      body.writeBytes(part);
      if (body.size() > call.replyBytesMax()) {
        end(new CallResult.Failed("its answer is too long"));
      }
    }

    @Override
    public void readComplete() {
      if (lease != null) {
        lease.read();
      }
    }

    @Override
    public void bodyEnd() {
      if (head != null) {
        end(new CallResult.Answered(head, body.toByteArray()));
      }
    }

    @Override
    public void connectionFailed(ConnectionFailure failure) {
      end(
          switch (failure) {
            case ConnectionFailure.Reset reset when reset.fault() != null ->
                new CallResult.NotConnected(reset.fault(), reset.reason());
            case ConnectionFailure.Reset reset -> new CallResult.Failed(reset.reason());
            case ConnectionFailure.Closed _ ->
                new CallResult.Failed("it closed the connection without an answer");
            case ConnectionFailure.Malformed bad -> new CallResult.Failed(bad.reason());
          });
    }

    private void end(CallResult outcome) {
      if (!result.complete(outcome)) {
        return;
      }
      if (timeout != null) {
        timeout.cancel(false);
      }
      if (acquisition != null) {
        acquisition.cancel();
      }
      Lease current = lease;
      lease = null;
      if (current != null) {
        current.end();
      }
    }
  }
}
