package dev.tollgate.server.jobs;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.money.PriceList;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Where a model's jobs are made, and at which price.
 *
 * @param base of the provider's routes, without a trailing slash
 * @param model as the provider calls it
 * @param key empty: none is sent
 */
public record MediaTarget(
    URI base,
    String model,
    Optional<Secret> key,
    Map<String, String> headers,
    PriceList prices,
    Optional<Duration> usualLength) {

  public MediaTarget {
    headers = Map.copyOf(headers);
  }

  /** Port to the configuration as it is now. */
  public interface Directory {
    /** Empty: the model or its provider is not configured any more. */
    Optional<MediaTarget> of(Job job);
  }
}
