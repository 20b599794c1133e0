package dev.tollgate.core.api;

/**
 * An image that a request names by URL instead of bringing it.
 *
 * @param index where it stands among the request's images
 * @param param JSON path of the URL, such as {@code input_images[2]}
 */
public record RemoteImage(int index, String param, String url) {}
