package dev.tollgate.core.api.image;

/** Origin of the image URLs that clients get. */
public enum ImageUrls {
  /** The provider's URLs, if it has any. */
  PROVIDER,
  /** The gateway's URLs of stored images. */
  GATEWAY
}
