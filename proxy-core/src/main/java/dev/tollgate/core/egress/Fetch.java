package dev.tollgate.core.egress;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.BodyLength;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.Headers;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.net.PublicUrl;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongPredicate;

/**
 * Download of one image from a URL in a client's request. It follows a bounded number of redirects
 * and checks each target as it checks the URL itself.
 */
public final class Fetch extends EgressCall {
  private static final String ACCEPT = "image/png, image/jpeg, image/webp, image/gif";
  private static final byte[] NO_BODY = {};
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
  private static final String NO_IMAGE = "it is not a PNG, JPEG, WebP or GIF";

  private final FetchRules rules;
  private final EventLoop loop;
  private final String param;
  private final LongPredicate room;
  private final EndListener listener;
  private final long startNanos;
  private int redirects;
  private int bytes;

  /** Listener of the end of a fetch, called once. */
  interface EndListener {
    void accept(FetchResult fetched, long bytes, Duration took);
  }

  Fetch(
      PublicConnector connector,
      FetchRules rules,
      EventLoop loop,
      String param,
      LongPredicate room,
      EndListener listener) {
    super(connector, rules.urls(), loop, "GET", NO_BODY);
    this.rules = rules;
    this.loop = loop;
    this.param = param;
    this.room = room;
    this.listener = listener;
    this.startNanos = loop.ticker().nanoTime();
  }

  void start(String url) {
    start(url, rules.timeout());
  }

  /** Ends the fetch because the node has its maximum of fetches. */
  void refuseNodeLimit() {
    failed(FetchOutcome.NO_ROOM, "too many images are being fetched");
  }

  /** Ends the fetch because its organization has its maximum of fetches. */
  void refuseOrgLimit() {
    String why = "An image cannot be fetched now: too many of yours are being fetched.";
    failed(
        FetchOutcome.NO_ROOM, _ -> Fault.of(ErrorCode.CONCURRENCY_EXCEEDED, why).withRetryAfter(1));
  }

  /** Cancels the fetch; its result is not reported to the caller. */
  public void cancel() {
    failed(FetchOutcome.CANCELLED, "the request has ended");
  }

  @Override
  void writeFields(ByteBuf out) {
    HeadWriter.field(out, "accept", ACCEPT);
    HeadWriter.field(out, "accept-encoding", "identity");
  }

  @Override
  EgressReplyHandler replyHandler(PublicUrl url) {
    return new Reply(url);
  }

  /**
   * Channel handler that reads the reply of one URL up to its end, a redirect or the first flaw.
   */
  private final class Reply extends EgressReplyHandler {
    private final PublicUrl url;
    private final ImageBytes image = new ImageBytes(rules.bytesMax(), room);

    Reply(PublicUrl url) {
      this.url = url;
    }

    @Override
    void head(ResponseHead head) {
      Headers fields = head.headers();
      String location = fields.first("location");
      if (REDIRECTS.contains(head.status()) && location != null && fields.count("location") == 1) {
        endOnce(() -> redirected(location));
      } else if (head.status() != 200) {
        failed(FetchOutcome.BAD_STATUS, "its server answered with status " + head.status());
      } else if (isEncoded(fields)) {
        failed(FetchOutcome.BAD_TYPE, "its server compressed it although it was asked not to");
      } else if (head.body() instanceof BodyLength.Fixed fixed
          && fixed.bytes() > rules.bytesMax()) {
        flawed(ImageBytes.Flaw.TOO_LARGE);
      }
    }

    private static boolean isEncoded(Headers fields) {
      String coding = fields.first("content-encoding");
      return coding != null
          && (fields.count("content-encoding") > 1 || !coding.equalsIgnoreCase("identity"));
    }

    private void redirected(String location) {
      closeChannel();
      redirects++;
      if (redirects > rules.redirectsMax()) {
        Fetch.this.failed(FetchOutcome.TOO_MANY_REDIRECTS, "it redirects too often");
      } else {
        request(url.redirected(location));
      }
    }

    @Override
    void content(ByteBuf more) {
      image.add(more).ifPresent(this::flawed);
    }

    private void flawed(ImageBytes.Flaw flaw) {
      switch (flaw) {
        case TOO_LARGE ->
            failed(FetchOutcome.TOO_LARGE, "it is larger than " + rules.bytesMax() + " bytes");
        case NO_IMAGE -> failed(FetchOutcome.BAD_TYPE, NO_IMAGE);
        case NO_ROOM -> failed(FetchOutcome.NO_ROOM, "too many images are being processed");
      }
    }

    @Override
    void completed() {
      bytes = image.length();
      image
          .toImage()
          .ifPresentOrElse(
              done -> endOnce(() -> end(done)), () -> failed(FetchOutcome.BAD_TYPE, NO_IMAGE));
    }

    @Override
    void failed(FetchOutcome outcome, String why) {
      endOnce(() -> Fetch.this.failed(outcome, why));
    }
  }

  @Override
  void onTimeout() {
    failed(FetchOutcome.TIMED_OUT, "it took too long");
  }

  @Override
  void failed(FetchOutcome outcome, Function<String, Fault> fault) {
    end(new FetchResult.Failed(outcome, fault.apply(param)));
  }

  private void end(FetchResult fetched) {
    if (tryEnd()) {
      listener.accept(fetched, bytes, Duration.ofNanos(loop.ticker().nanoTime() - startNanos));
    }
  }
}
