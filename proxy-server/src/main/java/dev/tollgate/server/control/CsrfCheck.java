package dev.tollgate.server.control;

import dev.tollgate.core.http.Headers;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Check that no foreign page made the browser send a change. It needs no look-up. A page of another
 * origin cannot add the header of our own pages, since no preflight is ever granted; what browsers
 * tell of the origin is checked beside it.
 */
final class CsrfCheck {
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private final AllowedHosts hosts;

  CsrfCheck(AllowedHosts hosts) {
    this.hosts = hosts;
  }

  /** Returns why a change is refused; null if it is not. */
  @Nullable String problem(Headers headers) {
    String marker = headers.first("x-requested-with");
    if (marker == null || marker.isEmpty()) {
      return "Changes need the header X-Requested-With.";
    }
    String site = headers.first("sec-fetch-site");
    if (site != null && !OWN_SITES.contains(site)) {
      return "The request comes from a page of another site.";
    }
    String origin = headers.first("origin");
    return origin == null || hosts.isOwnOrigin(origin, headers)
        ? null
        : "The request comes from a page of another origin.";
  }
}
