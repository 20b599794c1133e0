package dev.tollgate.server.wiring;

import dev.tollgate.core.fetch.FetchOutcome;
import dev.tollgate.core.fetch.Post;
import dev.tollgate.core.fetch.Posted;
import dev.tollgate.core.fetch.Poster;
import dev.tollgate.core.webhook.Announcement;
import dev.tollgate.server.webhook.Wire;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Receivers of announcements, reached on the event loops while a virtual thread waits. */
record Receivers(EventLoopGroup loops, Poster poster) implements Wire {
  /** A loop that says nothing for so long after the time is over has no answer. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  @Override
  public Posted post(String url, Announcement announcement, Duration within)
      throws InterruptedException {
    EventLoop loop = loops.next();
    var done = new CompletableFuture<Posted>();
    var begun = new CompletableFuture<Post>();
    try {
      loop.execute(
          () ->
              begun.complete(
                  poster.post(
                      url, announcement.fields(), announcement.body(), loop, done::complete)));
      return done.get(within.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      var _ =
          begun.thenAccept(post -> loop.execute(post::giveUp)); // or it would outlive its sender
      throw e;
    } catch (RejectedExecutionException loopsAreGone) {
      throw new InterruptedException("the node ends");
    } catch (TimeoutException e) {
      return new Posted.Failed(FetchOutcome.TIMED_OUT);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
