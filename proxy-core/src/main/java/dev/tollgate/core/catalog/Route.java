package dev.tollgate.core.catalog;

/**
 * Pair of a provider and an upstream model that can serve a model.
 *
 * @param upstreamModel the provider's own name of the model
 * @param priority lower is preferred
 */
public record Route(Provider provider, String upstreamModel, int priority, int weight) {}
