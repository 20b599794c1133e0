package dev.tollgate.core.catalog;

/**
 * One way to serve a model.
 *
 * @param upstreamModel the provider's own name of the model
 * @param priority lower is preferred
 */
public record Route(Provider provider, String upstreamModel, int priority, int weight) {}
