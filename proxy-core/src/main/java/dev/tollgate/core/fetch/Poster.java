package dev.tollgate.core.fetch;

import dev.tollgate.core.http.Field;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Sends POSTs to clients' URLs; how many at once is for the caller to bound. Shared by all. */
public final class Poster {
  private final PublicConnector connector;
  private final Supplier<PostRules> rules;
  private final AtomicInteger underWay = new AtomicInteger();

  public Poster(PublicConnector connector, Supplier<PostRules> rules) {
    this.connector = connector;
    this.rules = rules;
  }

  /** POSTs that have not ended. */
  public int underWay() {
    return underWay.get();
  }

  /**
   * Begins to send one on the caller's loop, where it may be given up. The end is told once,
   * perhaps before this returns.
   *
   * @param fields beside those of HTTP itself
   * @param body not to be changed before the end
   */
  public Post post(
      String url, List<Field> fields, byte[] body, EventLoop loop, Consumer<Posted> whenDone) {
    assert loop.inEventLoop();
    underWay.incrementAndGet();
    Consumer<Posted> ended =
        posted -> {
          underWay.decrementAndGet();
          whenDone.accept(posted);
        };
    var post = new Post(connector, rules.get(), loop, fields, body, ended);
    post.begin(url);
    return post;
  }
}
