package dev.tollgate.core.catalog;

/**
 * Provider and upstream model to which requests for a configured model can be sent.
 *
 * @param upstreamModel the provider's own name of the model
 * @param priority lower is preferred
 */
public record Route(Provider provider, String upstreamModel, int priority, int weight) {}
