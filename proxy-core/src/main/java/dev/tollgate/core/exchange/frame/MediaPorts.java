package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.egress.ImageFetcher;
import java.util.Optional;

/**
 * Ports for images, videos and music: the fetcher of input images, the storage of outputs, and
 * media jobs.
 *
 * @param images fetches images that requests name by URL
 * @param outputs storage of images whose clients want URLs
 * @param jobs empty in a process without jobs
 */
public record MediaPorts(ImageFetcher images, Outputs outputs, Optional<JobService> jobs) {}
