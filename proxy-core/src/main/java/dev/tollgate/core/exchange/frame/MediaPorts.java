package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.egress.ImageFetcher;
import dev.tollgate.core.egress.ProviderAddresses;
import dev.tollgate.core.egress.UrlGuard;
import java.util.Optional;

/**
 * Ports for images, videos and music: the fetcher of input images, the storage of outputs, and
 * media jobs.
 *
 * @param images fetches images that requests name by URL
 * @param urls judges URLs that someone calls later: a provider, or the gateway
 * @param addresses tells which providers have a private address
 * @param outputs storage of images whose clients want URLs
 * @param jobs empty in a process without jobs
 */
public record MediaPorts(
    ImageFetcher images,
    UrlGuard urls,
    ProviderAddresses addresses,
    Outputs outputs,
    Optional<JobService> jobs) {}
