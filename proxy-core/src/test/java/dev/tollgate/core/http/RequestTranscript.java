package dev.tollgate.core.http;

import dev.tollgate.core.testkit.PullChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Output of a {@link RequestDecoder} as lines of text, with a receiver that reads everything and
 * answers each request at once. It is the same for all splits of the bytes.
 */
final class RequestTranscript extends ChannelInboundHandlerAdapter {
  private final RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT);
  private final List<String> lines = new ArrayList<>();
  private final StringBuilder body = new StringBuilder();

  private RequestTranscript() {}

  /**
   * Returns the lines for bytes in pieces: {@code head …}, {@code body …}, {@code end}, {@code bad
   * …}.
   */
  static List<String> of(List<String> pieces) {
    RequestTranscript transcript = new RequestTranscript();
    PullChannel channel = PullChannel.open(transcript.decoder, transcript);
    channel.pull();
    pieces.forEach(channel::arrive);
    channel.arriveClose();
    channel.checkException();
    transcript.closeBody();
    return transcript.lines;
  }

  /** Returns the number of complete requests. */
  static long requests(List<String> transcript) {
    return transcript.stream().filter("end"::equals).count();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object msg) {
    switch (msg) {
      case RequestHead head -> lines.add(line(head));
      case ByteBuf content -> {
        body.append(content.toString(StandardCharsets.ISO_8859_1));
        content.release();
      }
      case BodyEnd end -> {
        closeBody();
        lines.add("end");
        decoder.nextRequest();
      }
      case BadRequest bad -> {
        closeBody();
        lines.add("bad " + bad.fault().code().status() + " " + bad.fault().message());
      }
      default -> throw new AssertionError("unknown message " + msg);
    }
    ctx.read();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    closeBody();
    lines.add("event " + event);
  }

  private void closeBody() {
    if (!body.isEmpty()) {
      lines.add("body " + body);
      body.setLength(0);
    }
  }

  private static String line(RequestHead head) {
    StringBuilder line = new StringBuilder("head ");
    line.append(head.method()).append(' ').append(head.path());
    line.append(' ').append(head.query()).append(" 1.").append(head.minorVersion());
    line.append(' ').append(head.body()).append(head.keepAlive() ? "" : " last");
    line.append(head.expectsContinue() ? " expects" : "");
    for (int i = 0; i < head.headers().size(); i++) {
      line.append('\n').append(head.headers().name(i)).append('=').append(head.headers().value(i));
    }
    return line.toString();
  }
}
