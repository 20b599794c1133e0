package dev.tollgate.core.api;

import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.id.ProviderId;
import java.util.Map;
import java.util.Set;

/**
 * Media that the gateway fetched for a request.
 *
 * @param images by their index among the request's media
 * @param providers those that get the images inline; images that every provider gets have none
 */
public record FetchedMedia(Map<Integer, FetchResult.Image> images, Set<ProviderId> providers) {
  public static final FetchedMedia NONE = new FetchedMedia(Map.of(), Set.of());

  public FetchedMedia {
    images = Map.copyOf(images);
    providers = Set.copyOf(providers);
  }

  /** True if a provider gets the images instead of their URLs. */
  public boolean isFor(ProviderId provider) {
    return !images.isEmpty() && providers.contains(provider);
  }
}
