package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channel handler of one connection to the mock provider. It reads one request after another and
 * sends each frame of a reply when it is due. It keeps reading meanwhile, so that a disconnect is
 * noticed at once.
 */
final class MockConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(MockConnection.class);
  private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);
  private static final int PEEKED_BYTES = 512;

  private final Channel channel;
  private final LoopContext loopContext;
  private final Pacer.PacedTask playTask =
      new Pacer.PacedTask() {
        @Override
        void run() {
          play();
        }
      };

  private @Nullable ByteBuf received;
  private boolean serving;
  private boolean sentContinue;
  private boolean isPeeked;
  private boolean isAnsweredEarly;

  private @Nullable ReplyPlan plan;
  private String model = "";
  private int frame;
  private long startNanos;

  private @Nullable ReplyEnding stale;
  private boolean closing;
  private boolean sawReset;

  MockConnection(Channel channel, LoopContext loopContext) {
    this.channel = channel;
    this.loopContext = loopContext;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    loopContext.counters().connected();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (closing || stale != null) {
      bytes.release();
      if (stale != null) {
        closeConnection(stale == ReplyEnding.STALE_RST);
      }
      return;
    }
    receive(bytes);
    serve();
  }

  private void receive(ByteBuf bytes) {
    if (received == null) {
      received = bytes;
      return;
    }
    received.discardSomeReadBytes();
    if (received.maxFastWritableBytes() < bytes.readableBytes()) {
      int needed = received.readableBytes() + bytes.readableBytes();
      ByteBuf wider = channel.alloc().buffer(2 * needed).writeBytes(received);
      received.release();
      received = wider;
    }
    received.writeBytes(bytes);
    bytes.release();
  }

  /** Reads and answers the received requests, one after another. */
  private void serve() {
    if (serving) {
      return; // called from within serve()
    }
    serving = true;
    while (plan == null && received != null && stale == null && !closing) {
      if (!received.isReadable()) {
        received.release();
        received = null;
      } else if (!serveNext(received)) {
        break;
      }
    }
    serving = false;
  }

  private boolean serveNext(ByteBuf bytes) {
    return switch (loopContext.reader().read(bytes)) {
      case PARTIAL -> {
        LoopContext.Answer early = isPeeked ? null : early(bytes);
        if (early != null) {
          isAnsweredEarly = true;
          begin(early);
        }
        yield false;
      }
      case AWAITS_CONTINUE -> {
        if (!sentContinue) {
          sentContinue = true;
          var _ = channel.writeAndFlush(Unpooled.wrappedBuffer(CONTINUE), channel.voidPromise());
        }
        yield false;
      }
      case WHOLE -> {
        sentContinue = false;
        isPeeked = false;
        if (!isAnsweredEarly) {
          begin(loopContext.answer());
        }
        isAnsweredEarly = false;
        yield true;
      }
      case MALFORMED -> {
        bytes.skipBytes(bytes.readableBytes());
        begin(loopContext.malformed());
        closeConnection(false);
        yield false;
      }
    };
  }

  /** Checks the start of a long body once: a fault may answer before the rest has arrived. */
  private LoopContext.@Nullable Answer early(ByteBuf bytes) {
    int bodyBytes = bytes.writerIndex() - loopContext.reader().headEnd();
    if (loopContext.reader().headEnd() < 0 || bodyBytes < PEEKED_BYTES) {
      return null;
    }
    isPeeked = true;
    return loopContext.earlyAnswer(
        bytes.toString(loopContext.reader().headEnd(), PEEKED_BYTES, ISO_8859_1));
  }

  private void begin(LoopContext.Answer answer) {
    plan = answer.plan();
    model = answer.model();
    frame = 0;
    startNanos = System.nanoTime();
    if (!model.isEmpty()) {
      loopContext.counters().started();
    }
    play();
  }

  /**
   * Writes the frames that are due, then schedules the next, waits until the channel is writable,
   * or ends the reply.
   */
  private void play() {
    while (plan != null) {
      if (frame == plan.frames()) {
        end(plan);
        return;
      }
      if (!channel.isWritable()) {
        return; // channelWritabilityChanged continues
      }
      long elapsedNanos = System.nanoTime() - startNanos;
      if (plan.dueNanos(frame) > elapsedNanos) {
        loopContext.pacer().schedule(startNanos + plan.dueNanos(frame), playTask);
        return;
      }
      int to = plan.writeEnd(frame, elapsedNanos);
      ByteBuf bytes = plan.slice(frame, to);
      frame = to;
      var _ = channel.writeAndFlush(bytes, channel.voidPromise());
    }
  }

  private void end(ReplyPlan ended) {
    switch (ended.ending()) {
      case KEEP_ALIVE -> complete(ended);
      case STALE_FIN, STALE_RST -> {
        stale = ended.ending();
        complete(ended);
      }
      case FIN, RST -> {
        closeConnection(ended.ending() == ReplyEnding.RST);
        complete(ended);
      }
      case HANG -> {}
      case REPEAT -> {
        frame--;
        startNanos = System.nanoTime() + ended.repeatNanos() - ended.dueNanos(frame);
        loopContext.pacer().schedule(startNanos + ended.dueNanos(frame), playTask);
      }
    }
  }

  private void complete(ReplyPlan ended) {
    if (!model.isEmpty()) {
      loopContext.counters().completed(ended.promptTokens(), ended.tokensAfter(frame));
    }
    plan = null;
    ended.release();
    serve();
  }

  private void closeConnection(boolean reset) {
    closing = true;
    if (reset) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    }
    var _ = channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable()) {
      play();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    loopContext.pacer().cancel(playTask);
    loopContext.counters().closed();
    if (received != null) {
      received.release();
      received = null;
    }
    ReplyPlan cut = plan;
    plan = null;
    if (cut != null) {
      if (!model.isEmpty()) {
        Disconnect.How how = sawReset ? Disconnect.How.RST : Disconnect.How.FIN;
        loopContext
            .counters()
            .disconnected(new Disconnect(how, model, System.nanoTime(), cut.tokensAfter(frame)));
      }
      cut.release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      sawReset = true;
    } else {
      LOG.error("the mock provider failed", cause);
    }
    var _ = ctx.close();
  }
}
