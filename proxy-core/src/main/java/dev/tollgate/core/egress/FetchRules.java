package dev.tollgate.core.egress;

import dev.tollgate.core.net.UrlRules;
import java.time.Duration;

/**
 * Limits of an image download from a client's URL: permitted URLs, size, timeout and redirects.
 *
 * @param bytesMax size limit of an image in bytes
 * @param timeout time limit from the first name resolution to the last byte
 * @param redirectsMax number of redirects that are followed
 */
public record FetchRules(UrlRules urls, int bytesMax, Duration timeout, int redirectsMax) {}
