package dev.tollgate.core.egress;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.egress.PublicAddressResolver.Resolved;
import dev.tollgate.core.egress.PublicConnector.Connected;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.ResponseDecoder;
import dev.tollgate.core.net.PublicUrl;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One image fetched from a client's URL, over at most so many redirects, each judged like the URL
 * itself. Ends exactly once: told, or cancelled. Loop-confined.
 */
public final class Fetch {
  private static final int HEAD_BYTES = 512;
  private static final String ACCEPT = "image/png, image/jpeg, image/webp, image/gif";

  private final PublicConnector connector;
  private final FetchRules rules;
  private final EventLoop loop;
  private final String param;
  private final LongPredicate room;
  private final EndListener listener;
  private final long startNanos;
  private @Nullable ScheduledFuture<?> timeout;
  private @Nullable Future<Connected> connecting;
  private @Nullable Channel channel;
  private int redirects;
  private int bytes;
  private boolean finished;

  /** Who hears the end, once. */
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
    this.connector = connector;
    this.rules = rules;
    this.loop = loop;
    this.param = param;
    this.room = room;
    this.listener = listener;
    this.startNanos = loop.ticker().nanoTime();
  }

  void start(String text) {
    timeout =
        loop.schedule(
            () -> failed(FetchOutcome.TIMED_OUT, "it took too long"),
            rules.timeout().toNanos(),
            TimeUnit.NANOSECONDS);
    request(text);
  }

  /** Ends it for want of a place. */
  void refuseNodeLimit() {
    failed(FetchOutcome.NO_ROOM, "too many images are being fetched");
  }

  /** Ends it because its organization has its share of places. */
  void refuseOrgLimit() {
    String why = "An image cannot be fetched now: too many of yours are being fetched.";
    fail(FetchOutcome.NO_ROOM, Fault.of(ErrorCode.CONCURRENCY_EXCEEDED, why).withRetryAfter(1));
  }

  /** Gives it up: nothing is told to who asked, and what is under way ends. */
  public void cancel() {
    assert loop.inEventLoop();
    fail(FetchOutcome.CANCELLED, Fault.invalid(param, "is not fetched any more"));
  }

  private void request(String text) {
    switch (rules.urls().check(text)) {
      case PublicUrl.UrlParseResult.Malformed malformed ->
          fail(FetchOutcome.INVALID, malformed.fault(param));
      case PublicUrl.UrlParseResult.Refused refused ->
          fail(FetchOutcome.BLOCKED, refused.fault(param));
      case PublicUrl.UrlParseResult.Valid fine -> connect(fine.url());
    }
  }

  private void connect(PublicUrl url) {
    Future<Connected> future = connector.connect(url, rules.urls(), loop);
    connecting = future;
    future.addListener(
        (Future<Connected> done) -> {
          if (done.isSuccess()) {
            connected(done.getNow(), url);
          }
        });
  }

  private void connected(Connected connected, PublicUrl url) {
    switch (connected) {
      case Connected.Open open -> sendRequest(open.channel(), url);
      case Connected.Unresolved unresolved -> unresolved(unresolved.why());
      case Connected.Unreachable _ ->
          failed(FetchOutcome.UNREACHABLE, "its server cannot be reached under its name");
    }
  }

  private void unresolved(Resolved why) {
    switch (why) {
      case Resolved.Refused _ ->
          fail(
              FetchOutcome.BLOCKED,
              new PublicUrl.UrlParseResult.Refused("points to a host that is not public")
                  .fault(param));
      case Resolved.Unknown _ -> failed(FetchOutcome.UNRESOLVED, "its host has no address");
      case Resolved.Busy _ -> failed(FetchOutcome.NO_ROOM, "too many names are looked up");
      case Resolved.Checked _ -> throw new IllegalStateException("it has addresses");
    }
  }

  private void sendRequest(Channel open, PublicUrl url) {
    if (finished) {
      open.close();
      return;
    }
    channel = open;
    if (!open.isActive()) {
      failed(FetchOutcome.BROKEN, "its server broke off");
      return;
    }
    var image = new ImageBytes(rules.bytesMax(), room);
    var decoder = new ResponseDecoder();
    open.pipeline().addLast("http", decoder);
    open.pipeline().addLast("fetch", new FetchReplyHandler(image, rules.bytesMax(), new Hop(url)));
    decoder.awaitResponse();
    open.writeAndFlush(head(open, url)); // a failure closes, and the reply tells of that
    open.read();
  }

  private static ByteBuf head(Channel open, PublicUrl url) {
    var endpoint = new EndpointIdentity(true, url.host().plain(), url.port());
    ByteBuf out = open.alloc().buffer(HEAD_BYTES);
    HeadWriter.requestLine(out, "GET", url.target());
    HeadWriter.field(out, "host", endpoint.authority());
    HeadWriter.field(out, "accept", ACCEPT);
    HeadWriter.field(out, "accept-encoding", "identity");
    HeadWriter.field(out, "user-agent", "tollgate");
    HeadWriter.field(out, "connection", "close");
    HeadWriter.end(out);
    return out;
  }

  /** What comes of the request to one URL. */
  private final class Hop implements FetchReplyHandler.Listener {
    private final PublicUrl url;

    Hop(PublicUrl url) {
      this.url = url;
    }

    @Override
    public void redirected(String location) {
      closeChannel();
      redirects++;
      if (redirects > rules.redirectsMax()) {
        Fetch.this.failed(FetchOutcome.TOO_MANY_REDIRECTS, "it redirects too often");
      } else {
        request(url.redirected(location));
      }
    }

    @Override
    public void whole(ImageBytes image) {
      bytes = image.length();
      image
          .whole()
          .ifPresentOrElse(
              Fetch.this::end,
              () -> failed(FetchOutcome.BAD_TYPE, "it is no PNG, JPEG, WebP or GIF"));
    }

    @Override
    public void failed(FetchOutcome outcome, String why) {
      Fetch.this.failed(outcome, why);
    }
  }

  private void failed(FetchOutcome outcome, String why) {
    fail(
        outcome,
        outcome == FetchOutcome.NO_ROOM
            ? Fault.tryLater("An image cannot be fetched now: " + why + ".")
            : Fault.invalid(param, "could not be fetched: " + why));
  }

  private void fail(FetchOutcome outcome, Fault fault) {
    end(new FetchResult.Failed(outcome, fault));
  }

  private void end(FetchResult fetched) {
    assert loop.inEventLoop();
    if (finished) {
      return;
    }
    finished = true;
    if (timeout != null) {
      timeout.cancel(false);
    }
    if (connecting != null) {
      connecting.cancel(false);
    }
    closeChannel();
    listener.accept(fetched, bytes, Duration.ofNanos(loop.ticker().nanoTime() - startNanos));
  }

  private void closeChannel() {
    Channel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}
