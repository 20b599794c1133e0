package dev.tollgate.core.api.image;

/**
 * Origin of the image URLs in replies to clients: the provider's URLs, or URLs of images that the
 * gateway stores.
 */
public enum ImageUrls {
  /** The provider's URLs, if it has any. */
  PROVIDER,
  /** The gateway's URLs of stored images. */
  GATEWAY
}
