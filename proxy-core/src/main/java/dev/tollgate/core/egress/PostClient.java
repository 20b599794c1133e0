package dev.tollgate.core.egress;

import dev.tollgate.core.http.Field;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Sends HTTP POSTs to URLs that clients supplied, such as webhook receivers'. The caller bounds
 * their number. Shared by all loops.
 */
public final class PostClient {
  private final PublicConnector connector;
  private final Supplier<PostRules> rules;
  private final AtomicInteger inFlight = new AtomicInteger();

  public PostClient(PublicConnector connector, Supplier<PostRules> rules) {
    this.connector = connector;
    this.rules = rules;
  }

  /** Returns the number of POSTs that have not ended. */
  public int inFlight() {
    return inFlight.get();
  }

  /**
   * Starts a POST on the caller's loop, where it may be aborted. The result is delivered once,
   * perhaps before this method returns.
   *
   * @param fields the fields beside those of HTTP itself
   * @param body must not change before the end
   */
  public Post post(
      String url, List<Field> fields, byte[] body, EventLoop loop, Consumer<PostResult> whenDone) {
    assert loop.inEventLoop();
    inFlight.incrementAndGet();
    Consumer<PostResult> listener =
        posted -> {
          inFlight.decrementAndGet();
          whenDone.accept(posted);
        };
    var post = new Post(connector, rules.get(), loop, fields, body, listener);
    post.start(url);
    return post;
  }
}
