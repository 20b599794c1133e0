package dev.tollgate.core.catalog;

/**
 * Treatment of media URLs in a request that a provider would fetch itself
 * (docs/decisions/egress.md#media-urls).
 */
public enum RemoteMedia {
  /** They are passed on as they are. */
  PASS,
  /** They are judged like URLs that the gateway calls, then passed on. */
  JUDGE,
  /** The gateway fetches them, and the provider gets their bytes inline. */
  FETCH,
  /** The provider gets no request with such a URL. */
  REFUSE
}
