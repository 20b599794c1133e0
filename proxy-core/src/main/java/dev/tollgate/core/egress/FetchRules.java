package dev.tollgate.core.egress;

import dev.tollgate.core.net.UrlRules;
import java.time.Duration;

/**
 * What a fetch may do.
 *
 * @param bytesMax the largest image
 * @param timeout from the look-up of the first name to the last byte
 * @param redirectsMax how often it is sent elsewhere
 */
public record FetchRules(UrlRules urls, int bytesMax, Duration timeout, int redirectsMax) {}
