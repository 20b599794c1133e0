package dev.tollgate.core.api;

/**
 * Media that a request names by URL.
 *
 * @param index position among the request's media
 * @param param JSON path of the URL, such as {@code input_images[2]}
 */
public record MediaUrl(int index, String param, String url) {
  /** Media URLs of one chat that are judged or fetched. */
  public static final int COUNT_MAX = 100;
}
