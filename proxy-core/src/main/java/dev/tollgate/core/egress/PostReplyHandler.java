package dev.tollgate.core.egress;

import dev.tollgate.core.http.BadResponse;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.http.TruncatedResponse;
import dev.tollgate.core.http.UnsolicitedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the answer to one POST. Its status is all that counts; some of its content is read too, so
 * that a receiver which writes a few words is not cut off in the middle of them. Loop-confined.
 */
final class PostReplyHandler extends ChannelInboundHandlerAdapter {
  /** Content that is read. */
  static final int BYTES_MAX = 4 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(PostReplyHandler.class);
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");

  private final Consumer<PostResult> listener;
  private PostResult.@Nullable Answered answered;
  private int bytes;
  private boolean notified;

  PostReplyHandler(Consumer<PostResult> listener) {
    this.listener = listener;
  }

  /** What it comes to when nothing more is waited for. */
  PostResult resultAtTimeout() {
    return resultOr(FetchOutcome.TIMED_OUT);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (!notified) {
        read(message);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void read(Object message) {
    switch (message) {
      case ResponseHead head -> answered = answered(head);
      case ByteBuf content -> {
        bytes += content.readableBytes();
        if (bytes > BYTES_MAX) {
          notifyOnce(FetchOutcome.TOO_LARGE);
        }
      }
      case BodyEnd _, BadResponse _, TruncatedResponse _ -> notifyOnce(FetchOutcome.BROKEN);
      case UnsolicitedBytes _ -> {} // the answer ahead of it is whole
      default -> throw new IllegalStateException("unexpected message " + message.getClass());
    }
  }

  private static PostResult.Answered answered(ResponseHead head) {
    Headers fields = head.headers();
    String retryAfter = fields.first("retry-after");
    long seconds =
        retryAfter != null && SECONDS.matcher(retryAfter).matches()
            ? Long.parseLong(retryAfter)
            : 0;
    return new PostResult.Answered(head.status(), Duration.ofSeconds(seconds));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (!notified) {
      context.read();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException || cause instanceof DecoderException)) {
      LOG.error("a POST failed unexpectedly", cause);
    }
    notifyOnce(FetchOutcome.BROKEN);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    notifyOnce(FetchOutcome.BROKEN);
  }

  private void notifyOnce(FetchOutcome otherwise) {
    if (!notified) {
      notified = true;
      listener.accept(resultOr(otherwise));
    }
  }

  /** The answer if there was one, however it went on. */
  private PostResult resultOr(FetchOutcome otherwise) {
    PostResult answer = answered;
    return answer == null ? new PostResult.Failed(otherwise) : answer;
  }
}
