package dev.tollgate.core.egress;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.egress.PublicAddressResolver.Resolved;
import dev.tollgate.core.egress.PublicConnector.Connected;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.ResponseDecoder;
import dev.tollgate.core.net.PublicUrl;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One POST to a client's URL, which is judged and looked up anew. Redirects are answers like any
 * other: following one would carry the body to where nobody was asked about. Loop-confined.
 */
public final class Post {
  private static final int HEAD_BYTES = 1_024;

  private final PublicConnector connector;
  private final PostRules rules;
  private final EventLoop loop;
  private final List<Field> fields;
  private final byte[] body;
  private final Consumer<PostResult> listener;
  private @Nullable ScheduledFuture<?> timeout;
  private @Nullable Future<Connected> connecting;
  private @Nullable Channel channel;
  private @Nullable PostReplyHandler reply;
  private boolean finished;

  Post(
      PublicConnector connector,
      PostRules rules,
      EventLoop loop,
      List<Field> fields,
      byte[] body,
      Consumer<PostResult> listener) {
    this.connector = connector;
    this.rules = rules;
    this.loop = loop;
    this.fields = fields;
    this.body = body;
    this.listener = listener;
  }

  void start(String text) {
    timeout = loop.schedule(this::onTimeout, rules.timeout().toNanos(), TimeUnit.NANOSECONDS);
    switch (rules.urls().check(text)) {
      case PublicUrl.UrlParseResult.Malformed _ -> failed(FetchOutcome.INVALID);
      case PublicUrl.UrlParseResult.Refused _ -> failed(FetchOutcome.BLOCKED);
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
      case Connected.Open open -> send(open.channel(), url);
      case Connected.Unresolved unresolved -> failed(outcome(unresolved.why()));
      case Connected.Unreachable _ -> failed(FetchOutcome.UNREACHABLE);
    }
  }

  private static FetchOutcome outcome(Resolved why) {
    return switch (why) {
      case Resolved.Refused _ -> FetchOutcome.BLOCKED;
      case Resolved.Unknown _ -> FetchOutcome.UNRESOLVED;
      case Resolved.Busy _ -> FetchOutcome.NO_ROOM;
      case Resolved.Checked _ -> throw new IllegalStateException("it has addresses");
    };
  }

  private void send(Channel open, PublicUrl url) {
    if (finished) {
      open.close();
      return;
    }
    channel = open;
    if (!open.isActive()) {
      failed(FetchOutcome.BROKEN);
      return;
    }
    var decoder = new ResponseDecoder();
    var handler = new PostReplyHandler(this::end);
    reply = handler;
    open.pipeline().addLast("http", decoder);
    open.pipeline().addLast("post", handler);
    decoder.awaitResponse();
    open.writeAndFlush(request(open, url)); // a failure closes, and the reply tells of that
    open.read();
  }

  private ByteBuf request(Channel open, PublicUrl url) {
    var endpoint = new EndpointIdentity(true, url.host().plain(), url.port());
    ByteBuf out = open.alloc().buffer(HEAD_BYTES + body.length);
    HeadWriter.requestLine(out, "POST", url.target());
    HeadWriter.field(out, "host", endpoint.authority());
    fields.forEach(field -> HeadWriter.field(out, field));
    HeadWriter.contentLength(out, body.length);
    HeadWriter.field(out, "user-agent", "tollgate");
    HeadWriter.field(out, "connection", "close");
    HeadWriter.end(out);
    return out.writeBytes(body);
  }

  /** Waits for it no longer: its connection is closed, and it ends as if its time were over. */
  public void abort() {
    onTimeout();
  }

  /** What was said before the time was over counts. */
  private void onTimeout() {
    PostReplyHandler current = reply;
    end(
        current == null
            ? new PostResult.Failed(FetchOutcome.TIMED_OUT)
            : current.resultAtTimeout());
  }

  private void failed(FetchOutcome outcome) {
    end(new PostResult.Failed(outcome));
  }

  private void end(PostResult posted) {
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
    if (channel != null) {
      channel.close();
    }
    listener.accept(posted);
  }
}
