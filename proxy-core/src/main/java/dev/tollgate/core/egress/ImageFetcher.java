package dev.tollgate.core.egress;

import dev.tollgate.core.id.OrgId;
import io.netty.channel.EventLoop;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/** Port for downloading the images that URLs in clients' requests point to. */
public interface ImageFetcher {
  /**
   * Starts to fetch an image on the caller's loop. The result may arrive before this method
   * returns; a cancelled fetch has none.
   *
   * @param org whose limit of concurrent fetches applies
   * @param param the request parameter that faults name
   * @param room reserves the given number of bytes in all, or returns false; a delivered image
   *     keeps its reservation
   */
  Fetch fetch(
      OrgId org,
      String url,
      String param,
      EventLoop loop,
      LongPredicate room,
      Consumer<FetchResult> whenDone);
}
