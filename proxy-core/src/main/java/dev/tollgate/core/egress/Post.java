package dev.tollgate.core.egress;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.net.PublicUrl;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * HTTP POST to a URL that a client supplied, such as a webhook receiver's. Redirects are results
 * like any other status: following one would send the body to a host that was not checked when the
 * URL was accepted.
 */
public final class Post extends EgressCall {
  /** Bytes that are read of a reply's body. */
  static final int REPLY_BYTES_MAX = 4 * 1024;

  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");

  private final PostRules rules;
  private final List<Field> fields;
  private final int bodyLength;
  private final Consumer<PostResult> listener;
  private PostResult.@Nullable Answered answered;

  Post(
      PublicConnector connector,
      PostRules rules,
      EventLoop loop,
      List<Field> fields,
      byte[] body,
      Consumer<PostResult> listener) {
    super(connector, rules.urls(), loop, "POST", body);
    this.rules = rules;
    this.fields = fields;
    this.bodyLength = body.length;
    this.listener = listener;
  }

  void start(String url) {
    start(url, rules.timeout());
  }

  @Override
  void writeFields(ByteBuf out) {
    fields.forEach(field -> HeadWriter.field(out, field));
    HeadWriter.contentLength(out, bodyLength);
  }

  @Override
  EgressReplyHandler replyHandler(PublicUrl url) {
    return new Reply();
  }

  /** Closes the connection; the result is that of a timeout at this moment. */
  public void abort() {
    onTimeout();
  }

  @Override
  void onTimeout() {
    end(FetchOutcome.TIMED_OUT);
  }

  @Override
  void failed(FetchOutcome outcome, Function<String, Fault> fault) {
    end(outcome);
  }

  /** Ends with the status if one was read, even if the reply broke off after it. */
  private void end(FetchOutcome otherwise) {
    if (tryEnd()) {
      PostResult.Answered status = answered;
      listener.accept(status == null ? new PostResult.Failed(otherwise) : status);
    }
  }

  /**
   * Channel handler that reads the reply to the POST. Only the status counts; a bounded part of the
   * body is read too, so that a receiver is not reset while it writes a short one.
   */
  private final class Reply extends EgressReplyHandler {
    private int bytes;

    @Override
    void head(ResponseHead head) {
      String retryAfter = head.headers().first("retry-after");
      long seconds =
          retryAfter != null && SECONDS.matcher(retryAfter).matches()
              ? Long.parseLong(retryAfter)
              : 0;
      answered = new PostResult.Answered(head.status(), Duration.ofSeconds(seconds));
    }

    @Override
    void content(ByteBuf content) {
      bytes += content.readableBytes();
      if (bytes > REPLY_BYTES_MAX) {
        failed(FetchOutcome.TOO_LARGE, "its body is too long");
      }
    }

    @Override
    void completed() {
      endOnce(() -> end(FetchOutcome.BROKEN));
    }

    @Override
    void failed(FetchOutcome outcome, String why) {
      endOnce(() -> end(outcome));
    }
  }
}
