package dev.tollgate.core.fetch;

import dev.tollgate.core.address.PublicUrl;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.fetch.PublicAddressResolver.Resolved;
import dev.tollgate.core.fetch.PublicConnector.Connected;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.HeadOut;
import dev.tollgate.core.http.ResponseDecoder;
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
  private final Consumer<Posted> ended;
  private @Nullable ScheduledFuture<?> clock;
  private @Nullable Future<Connected> connecting;
  private @Nullable Channel channel;
  private @Nullable PostReply reply;
  private boolean over;

  Post(
      PublicConnector connector,
      PostRules rules,
      EventLoop loop,
      List<Field> fields,
      byte[] body,
      Consumer<Posted> ended) {
    this.connector = connector;
    this.rules = rules;
    this.loop = loop;
    this.fields = fields;
    this.body = body;
    this.ended = ended;
  }

  void begin(String text) {
    clock = loop.schedule(this::timeOut, rules.within().toNanos(), TimeUnit.NANOSECONDS);
    switch (rules.urls().read(text)) {
      case PublicUrl.Read.Malformed _ -> failed(FetchOutcome.INVALID);
      case PublicUrl.Read.Refused _ -> failed(FetchOutcome.BLOCKED);
      case PublicUrl.Read.Fine fine -> connect(fine.url());
    }
  }

  private void connect(PublicUrl url) {
    Future<Connected> underWay = connector.connect(url, rules.urls(), loop);
    connecting = underWay;
    underWay.addListener(
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
    if (over) {
      open.close();
      return;
    }
    channel = open;
    if (!open.isActive()) {
      failed(FetchOutcome.BROKEN);
      return;
    }
    var decoder = new ResponseDecoder();
    var answer = new PostReply(this::end);
    reply = answer;
    open.pipeline().addLast("http", decoder);
    open.pipeline().addLast("post", answer);
    decoder.awaitResponse();
    open.writeAndFlush(request(open, url)); // a failure closes, and the reply tells of that
    open.read();
  }

  private ByteBuf request(Channel open, PublicUrl url) {
    var endpoint = new EndpointIdentity(true, url.host().plain(), url.port());
    ByteBuf out = open.alloc().buffer(HEAD_BYTES + body.length);
    HeadOut.requestLine(out, "POST", url.target());
    HeadOut.field(out, "host", endpoint.authority());
    fields.forEach(field -> HeadOut.field(out, field));
    HeadOut.contentLength(out, body.length);
    HeadOut.field(out, "user-agent", "tollgate");
    HeadOut.field(out, "connection", "close");
    HeadOut.end(out);
    return out.writeBytes(body);
  }

  /** Waits for it no longer: its connection is closed, and it ends as if its time were over. */
  public void giveUp() {
    timeOut();
  }

  /** What was said before the time was over counts. */
  private void timeOut() {
    PostReply asked = reply;
    end(asked == null ? new Posted.Failed(FetchOutcome.TIMED_OUT) : asked.atTimeOut());
  }

  private void failed(FetchOutcome outcome) {
    end(new Posted.Failed(outcome));
  }

  private void end(Posted posted) {
    assert loop.inEventLoop();
    if (over) {
      return;
    }
    over = true;
    if (clock != null) {
      clock.cancel(false);
    }
    if (connecting != null) {
      connecting.cancel(false);
    }
    if (channel != null) {
      channel.close();
    }
    ended.accept(posted);
  }
}
