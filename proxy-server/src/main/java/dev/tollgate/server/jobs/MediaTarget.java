package dev.tollgate.server.jobs;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.money.PriceList;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Upstream of a media job: its provider's base URL, model name, credentials and prices.
 *
 * @param base the base URL of the provider's routes, without a trailing slash
 * @param model the model's name at the provider
 * @param key the provider's API key; empty means that none is sent
 * @param operatorPrices what the operator pays there
 * @param pricedOptions true if clients may choose another price, model or route by options
 */
public record MediaTarget(
    URI base,
    String model,
    Optional<Secret> key,
    Map<String, String> headers,
    PriceList prices,
    PriceList operatorPrices,
    Optional<Duration> usualLength,
    boolean pricedOptions) {

  public MediaTarget {
    headers = Map.copyOf(headers);
  }

  /** Port to the targets in the current configuration. */
  public interface Directory {
    /** Returns the target, or empty if the model or its provider is no longer configured. */
    Optional<MediaTarget> of(Job job);
  }
}
