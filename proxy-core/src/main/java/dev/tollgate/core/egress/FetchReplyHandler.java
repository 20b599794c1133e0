package dev.tollgate.core.egress;

import dev.tollgate.core.http.BadResponse;
import dev.tollgate.core.http.BodyEnd;
import dev.tollgate.core.http.BodyLength;
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
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads one reply to its end, or to what shows that it is of no use. Loop-confined. */
final class FetchReplyHandler extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(FetchReplyHandler.class);
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  private final ImageBytes image;
  private final int bytesMax;
  private final Listener listener;
  private boolean notified;

  /** Who waits for it; told once. */
  interface Listener {
    void redirected(String location);

    void whole(ImageBytes image);

    /** It is of no use; {@code why} completes "could not be fetched:". */
    void failed(FetchOutcome outcome, String why);
  }

  FetchReplyHandler(ImageBytes image, int bytesMax, Listener listener) {
    this.image = image;
    this.bytesMax = bytesMax;
    this.listener = listener;
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
      case ResponseHead head -> head(head);
      case ByteBuf bytes -> image.add(bytes).ifPresent(this::flawed);
      case BodyEnd _ -> notifyOnce(() -> listener.whole(image));
      case BadResponse _ -> failed(FetchOutcome.BROKEN, "its server does not speak HTTP");
      case TruncatedResponse _ -> failed(FetchOutcome.BROKEN, "its server broke off");
      case UnsolicitedBytes _ -> {} // the reply ahead of it is whole
      default -> throw new IllegalStateException("unexpected message " + message.getClass());
    }
  }

  private void head(ResponseHead head) {
    Headers fields = head.headers();
    String location = fields.first("location");
    if (REDIRECTS.contains(head.status()) && location != null && fields.count("location") == 1) {
      notifyOnce(() -> listener.redirected(location));
    } else if (head.status() != 200) {
      failed(FetchOutcome.BAD_STATUS, "its server answered with status " + head.status());
    } else if (isEncoded(fields)) {
      failed(FetchOutcome.BAD_TYPE, "its server compressed it although it was asked not to");
    } else if (head.body() instanceof BodyLength.Fixed fixed && fixed.bytes() > bytesMax) {
      flawed(ImageBytes.Flaw.TOO_LARGE);
    }
  }

  private static boolean isEncoded(Headers fields) {
    String coding = fields.first("content-encoding");
    return coding != null
        && (fields.count("content-encoding") > 1 || !coding.equalsIgnoreCase("identity"));
  }

  private void flawed(ImageBytes.Flaw flaw) {
    switch (flaw) {
      case TOO_LARGE -> failed(FetchOutcome.TOO_LARGE, "it is larger than " + bytesMax + " bytes");
      case NO_IMAGE -> failed(FetchOutcome.BAD_TYPE, "it is no PNG, JPEG, WebP or GIF");
      case NO_ROOM -> failed(FetchOutcome.NO_ROOM, "too many images are in work");
    }
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
      LOG.error("a fetch failed unexpectedly", cause);
    }
    failed(FetchOutcome.BROKEN, "the connection to its server broke");
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    failed(FetchOutcome.BROKEN, "its server broke off");
  }

  private void failed(FetchOutcome outcome, String why) {
    notifyOnce(() -> listener.failed(outcome, why));
  }

  private void notifyOnce(Runnable notification) {
    if (!notified) {
      notified = true;
      notification.run();
    }
  }
}
