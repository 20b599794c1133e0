package dev.tollgate.core.egress;

import dev.tollgate.core.net.UrlRules;
import java.time.Duration;

/**
 * What a POST may do.
 *
 * @param timeout from the look-up of the name to the last byte of the answer
 */
public record PostRules(UrlRules urls, Duration timeout) {}
