package dev.tollgate.core.http;

import dev.tollgate.core.testkit.PullChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Output of a {@link ResponseDecoder} as lines of text, with a receiver that reads everything. It
 * is the same for all splits of one response's bytes.
 */
final class ResponseTranscript extends ChannelInboundHandlerAdapter {
  private final List<String> lines = new ArrayList<>();
  private final StringBuilder body = new StringBuilder();

  private ResponseTranscript() {}

  /** Returns the lines for one response in pieces, after which the provider closes. */
  static List<String> of(List<String> pieces) {
    ResponseDecoder decoder = new ResponseDecoder();
    ResponseTranscript transcript = new ResponseTranscript();
    PullChannel channel = PullChannel.open(decoder, transcript);
    decoder.awaitResponse();
    channel.pull();
    pieces.forEach(channel::arrive);
    channel.arriveClose();
    channel.checkException();
    transcript.closeBody();
    return transcript.lines;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    if (msg instanceof ByteBuf content) {
      body.append(content.toString(StandardCharsets.ISO_8859_1));
      content.release();
      return;
    }
    closeBody();
    lines.add(line(msg));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.read();
  }

  private void closeBody() {
    if (!body.isEmpty()) {
      lines.add("body " + body);
      body.setLength(0);
    }
  }

  private static String line(Object msg) {
    return switch (msg) {
      case ResponseHead head ->
          "head "
              + head.status()
              + " "
              + head.body().getClass().getSimpleName()
              + (head.keepAlive() ? "" : " last");
      case BodyEnd end -> "end";
      case BadResponse bad -> "bad " + bad.reason();
      case TruncatedResponse cut -> cut.headSeen() ? "cut in the body" : "cut in the head";
      case UnsolicitedBytes surplus -> "surplus";
      default -> throw new AssertionError("unknown message " + msg);
    };
  }
}
