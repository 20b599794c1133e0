package dev.tollgate.core.egress;

import dev.tollgate.core.net.UrlRules;
import java.time.Duration;

/**
 * Limits of a POST to a client's URL: permitted URLs and timeout.
 *
 * @param timeout time limit from the name resolution to the last byte of the reply
 */
public record PostRules(UrlRules urls, Duration timeout) {}
