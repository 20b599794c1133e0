package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.frame.BodyPorts;
import dev.tollgate.core.exchange.frame.InflightBytes;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.testkit.ScriptedOffload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Client of the whole pipeline, without a socket and with a manual clock. */
final class FrozenClient {
  private static final long STEP_NANOS = 1_000_000_000;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(8 * 1024, 16 * 1024);

  final MockTicker ticker = Ticker.newMockTicker();
  final ScriptedService service = new ScriptedService();
  final InMemoryAuthenticator keys = new InMemoryAuthenticator();
  final ScriptedRefusals refusals = new ScriptedRefusals();
  final List<RequestRecord> records = new ArrayList<>();
  final ScriptedOffload offload = new ScriptedOffload();
  final InflightBytes inflightBytes = new InflightBytes(1024 * 1024);
  final ConnectionCount connections = new ConnectionCount(1, 0);
  final NarrowChannel channel;
  final AtomicReference<@Nullable ClientConnection> conversation = new AtomicReference<>();
  boolean draining;

  private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(false, true);

  /** Wall clock that only the test moves. */
  long wallMillis = 1_790_000_000_000L;

  private final InstantSource clock = () -> Instant.ofEpochMilli(wallMillis);

  FrozenClient() {
    this(TestGateway.OPTIONS);
  }

  FrozenClient(GatewayOptions options) {
    this(options, null, new Catalog(List.of(), List.of()));
  }

  /** Of a gateway that answers by this service, and by {@link #service} where that is null. */
  FrozenClient(GatewayOptions options, @Nullable RequestService other, Catalog catalog) {
    GatewayPorts ports =
        new GatewayPorts(
            other == null ? service : other,
            keys,
            LoadShedder.NEVER,
            refusals,
            new BodyPorts(inflightBytes, offload),
            records::add,
            clock,
            () -> catalog);
    DownstreamPipeline pipeline =
        DownstreamPipeline.ofApi(
            options, ports, null, connections, () -> draining, new DrainingBodies(1024));
    EmbeddedChannel.Builder builder =
        EmbeddedChannel.builder()
            .ticker(ticker)
            .handlers(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    ClientConnection begun =
                        new ClientConnection(opened.eventLoop(), new PhaseCounts());
                    conversation.set(begun);
                    opened.config().setAutoRead(false);
                    opened.config().setAllocator(buffers);
                    opened.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
                    pipeline.build(opened.pipeline(), begun);
                  }
                });
    channel = new NarrowChannel(builder);
  }

  FrozenClient send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
    return this;
  }

  /** Receives only the bytes of {@link #take} from now on. */
  FrozenClient narrow() {
    channel.narrow();
    return this;
  }

  /** Receives so many more bytes. */
  FrozenClient take(long bytes) {
    channel.take(bytes);
    return this;
  }

  /** Moves the clock in steps of at most a second, and runs what is due. */
  FrozenClient pass(Duration time) {
    for (long left = time.toNanos(); left > 0; left -= STEP_NANOS) {
      ticker.advance(Math.min(left, STEP_NANOS), TimeUnit.NANOSECONDS);
      channel.runScheduledPendingTasks();
      channel.runPendingTasks();
    }
    return this;
  }

  /** Returns the bytes in the gateway's buffers. */
  long bytesHeld() {
    return buffers.metric().usedHeapMemory() + buffers.metric().usedDirectMemory();
  }

  /** Returns what was sent to the client and not received yet. */
  String received() {
    StringBuilder all = new StringBuilder();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      all.append(part.toString(ISO_8859_1));
      part.release();
    }
    return all.toString();
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  String head(String... lines) {
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + keys.authorization()
        + "\r\n"
        + String.join("\r\n", lines)
        + "\r\n\r\n";
  }

  String get() {
    return "GET /v1/models HTTP/1.1\r\nHost: a\r\n" + keys.authorization() + "\r\n\r\n";
  }
}
