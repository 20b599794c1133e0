package dev.tollgate.core.api;

/**
 * Image that a request names by URL instead of including it.
 *
 * @param index position among the request's images
 * @param param JSON path of the URL, such as {@code input_images[2]}
 */
public record RemoteImage(int index, String param, String url) {}
