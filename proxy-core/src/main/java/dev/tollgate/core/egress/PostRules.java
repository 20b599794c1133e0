package dev.tollgate.core.egress;

import dev.tollgate.core.net.UrlRules;
import java.time.Duration;

/**
 * Limits of a POST.
 *
 * @param timeout from the name resolution to the last byte of the reply
 */
public record PostRules(UrlRules urls, Duration timeout) {}
