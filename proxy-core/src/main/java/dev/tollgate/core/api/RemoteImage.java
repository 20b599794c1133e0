package dev.tollgate.core.api;

/**
 * Image that a request names by URL, which the gateway fetches before it calls a provider.
 *
 * @param index position among the request's images
 * @param param JSON path of the URL, such as {@code input_images[2]}
 */
public record RemoteImage(int index, String param, String url) {}
