package dev.tollgate.core.egress;

import dev.tollgate.core.id.OrgId;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/** Port to the images that clients' URLs point to. */
public interface ImageFetcher {
  /**
   * Begins to fetch one on the caller's loop. The end may be told before this returns; a cancelled
   * fetch tells nobody.
   *
   * @param org who asks: others' share of the places is not for it
   * @param param what faults name
   * @param room makes room for so many bytes in all, or says that there is none; the image's room
   *     stays taken when it is told
   */
  Fetch fetch(
      OrgId org,
      String url,
      String param,
      EventLoop loop,
      LongPredicate room,
      Consumer<FetchResult> whenDone);
}
