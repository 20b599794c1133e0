package dev.tollgate.core.egress;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.egress.PublicAddressResolver.Resolved;
import dev.tollgate.core.egress.PublicConnector.Connected;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.ResponseDecoder;
import dev.tollgate.core.net.PublicUrl;
import dev.tollgate.core.net.UrlRules;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Base class of HTTP calls to URLs that clients supply: URL check, name resolution, connection and
 * request. A call ends exactly once, with its connection closed. Confined to its event loop.
 */
abstract sealed class EgressCall permits Fetch, Post {
  private static final int HEAD_BYTES = 1_024;

  private final PublicConnector connector;
  private final UrlRules urls;
  private final EventLoop loop;
  private final String method;
  private final byte[] body;
  private @Nullable ScheduledFuture<?> timeout;
  private @Nullable Future<Connected> connecting;
  private @Nullable Channel channel;
  private boolean finished;

  EgressCall(PublicConnector connector, UrlRules urls, EventLoop loop, String method, byte[] body) {
    this.connector = connector;
    this.urls = urls;
    this.loop = loop;
    this.method = method;
    this.body = body;
  }

  /** Ends the call with {@code outcome}; {@code fault} takes the name of the parameter. */
  abstract void failed(FetchOutcome outcome, Function<String, Fault> fault);

  abstract void onTimeout();

  /** Writes the fields that the request has beside those of every call. */
  abstract void writeFields(ByteBuf out);

  abstract EgressReplyHandler replyHandler(PublicUrl url);

  /** Starts the timeout of the whole call, redirects included, and makes the first request. */
  final void start(String url, Duration time) {
    timeout = loop.schedule(this::onTimeout, time.toNanos(), TimeUnit.NANOSECONDS);
    request(url);
  }

  final void request(String text) {
    switch (urls.check(text)) {
      case PublicUrl.UrlParseResult.Malformed malformed ->
          failed(FetchOutcome.INVALID, malformed::fault);
      case PublicUrl.UrlParseResult.Refused refused -> failed(FetchOutcome.BLOCKED, refused::fault);
      case PublicUrl.UrlParseResult.Valid valid -> connect(valid.url());
    }
  }

  private void connect(PublicUrl url) {
    Future<Connected> future = connector.connect(url, urls, loop);
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
      case Connected.Open open -> send(open.channel(), url);
      case Connected.Unresolved unresolved -> unresolved(unresolved.why());
      case Connected.Unreachable _ ->
          failed(FetchOutcome.UNREACHABLE, "its server cannot be reached under its name");
      case Connected.Untrusted _ ->
          failed(FetchOutcome.TLS_FAILED, "its server has no valid certificate for its name");
    }
  }

  private void unresolved(Resolved why) {
    switch (why) {
      case Resolved.Refused _ ->
          failed(
              FetchOutcome.BLOCKED,
              new PublicUrl.UrlParseResult.Refused("points to a host that is not public")::fault);
      case Resolved.Unknown _ -> failed(FetchOutcome.UNRESOLVED, "its host has no address");
      case Resolved.Busy _ ->
          failed(FetchOutcome.NO_ROOM, "too many host names are being resolved");
      case Resolved.Checked _ -> throw new IllegalStateException("it has addresses");
    }
  }

  private void send(Channel open, PublicUrl url) {
    if (finished) {
      open.close();
      return;
    }
    channel = open;
    if (!open.isActive()) {
      failed(FetchOutcome.BROKEN, EgressReplyHandler.CLOSED);
      return;
    }
    var decoder = new ResponseDecoder();
    open.pipeline().addLast("http", decoder);
    open.pipeline().addLast("reply", replyHandler(url));
    decoder.awaitResponse();
    open.writeAndFlush(requestTo(url, open)); // a failed write closes, which the handler reports
    open.read();
  }

  private ByteBuf requestTo(PublicUrl url, Channel open) {
    var endpoint = new EndpointIdentity(true, url.host().plain(), url.port());
    ByteBuf out = open.alloc().buffer(HEAD_BYTES + body.length);
    HeadWriter.requestLine(out, method, url.target());
    HeadWriter.field(out, "host", endpoint.authority());
    writeFields(out);
    HeadWriter.field(out, "user-agent", "tollgate");
    HeadWriter.field(out, "connection", "close");
    HeadWriter.end(out);
    return out.writeBytes(body);
  }

  /** Ends the call without a result; {@code why} completes "could not be fetched:". */
  final void failed(FetchOutcome outcome, String why) {
    failed(
        outcome,
        param ->
            outcome == FetchOutcome.NO_ROOM
                ? Fault.tryLater("An image cannot be fetched now: " + why + ".")
                : Fault.invalid(param, "could not be fetched: " + why));
  }

  /** Ends the call and closes its connection; returns false if it has ended before. */
  final boolean tryEnd() {
    assert loop.inEventLoop();
    if (finished) {
      return false;
    }
    finished = true;
    if (timeout != null) {
      timeout.cancel(false);
    }
    if (connecting != null) {
      connecting.cancel(false);
    }
    closeChannel();
    return true;
  }

  final void closeChannel() {
    Channel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}
