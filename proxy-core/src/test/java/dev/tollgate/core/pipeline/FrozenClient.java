package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.InflightBytes;
import dev.tollgate.core.exchange.RequestRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client of the whole pipeline, without a socket and with a clock that the test moves. */
final class FrozenClient {
  final MockTicker ticker = Ticker.newMockTicker();
  final ScriptedService service = new ScriptedService();
  final Keys keys = new Keys();
  final List<RequestRecord> records = new ArrayList<>();
  final InflightBytes inflightBytes = new InflightBytes(1024 * 1024);
  final ConnectionCount connections = new ConnectionCount(1);
  final EmbeddedChannel channel;
  boolean draining;

  FrozenClient() {
    this(TestGateway.OPTIONS);
  }

  FrozenClient(GatewayOptions options) {
    Catalog none = new Catalog(List.of(), List.of());
    GatewayPorts ports =
        new GatewayPorts(
            service,
            keys,
            LoadShedder.NEVER,
            inflightBytes,
            records::add,
            InstantSource.system(),
            () -> none);
    DownstreamPipeline pipeline =
        new DownstreamPipeline(options, ports, null, connections, () -> draining);
    channel =
        EmbeddedChannel.builder()
            .ticker(ticker)
            .handlers(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened.config().setAutoRead(false);
                    pipeline.build(
                        opened.pipeline(), new Conversation(opened.eventLoop(), new PhaseCounts()));
                  }
                })
            .build();
  }

  FrozenClient send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, ISO_8859_1));
    return this;
  }

  /** Time passes, and what is due happens. */
  FrozenClient pass(Duration time) {
    ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
    return this;
  }

  /** All that was sent to the client and not taken yet. */
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
