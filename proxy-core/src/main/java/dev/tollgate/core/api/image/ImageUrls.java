package dev.tollgate.core.api.image;

/** Whose addresses a client gets that asks for addresses of its images. */
public enum ImageUrls {
  /** The provider's, where it has any. */
  PROVIDER,
  /** Ours, of what was stored. */
  GATEWAY
}
