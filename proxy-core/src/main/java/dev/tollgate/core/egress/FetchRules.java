package dev.tollgate.core.egress;

import dev.tollgate.core.net.UrlRules;
import java.time.Duration;

/**
 * Limits of a fetch.
 *
 * @param bytesMax the largest image
 * @param timeout from the first name resolution to the last byte
 * @param redirectsMax redirects that are followed
 */
public record FetchRules(UrlRules urls, int bytesMax, Duration timeout, int redirectsMax) {}
