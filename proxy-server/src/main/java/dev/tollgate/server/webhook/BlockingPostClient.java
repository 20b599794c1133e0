package dev.tollgate.server.webhook;

import dev.tollgate.core.egress.FetchOutcome;
import dev.tollgate.core.egress.Post;
import dev.tollgate.core.egress.PostClient;
import dev.tollgate.core.egress.PostResult;
import dev.tollgate.core.webhook.WebhookRequest;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Blocking HTTP client for webhook receivers: event loops do the I/O while a virtual thread waits.
 */
public record BlockingPostClient(EventLoopGroup loops, PostClient poster)
    implements WebhookTransport {
  /** Extra wait after the timeout, after which the loop counts as unresponsive. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  @Override
  public PostResult post(String url, WebhookRequest announcement, Duration within)
      throws InterruptedException {
    EventLoop loop = loops.next();
    var done = new CompletableFuture<PostResult>();
    var begun = new CompletableFuture<Post>();
    try {
      loop.execute(
          () ->
              begun.complete(
                  poster.post(
                      url, announcement.fields(), announcement.body(), loop, done::complete)));
      return done.get(within.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      var _ = begun.thenAccept(post -> loop.execute(post::abort)); // do not outlive the sender
      throw e;
    } catch (RejectedExecutionException loopsEnded) {
      throw new InterruptedException("the node is stopping");
    } catch (TimeoutException e) {
      return new PostResult.Failed(FetchOutcome.TIMED_OUT);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
