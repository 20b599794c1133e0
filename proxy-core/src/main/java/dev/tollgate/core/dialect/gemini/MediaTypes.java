package dev.tollgate.core.dialect.gemini;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Derives a media type from the file extension of a URL. */
final class MediaTypes {
  private static final Map<String, String> BY_ENDING =
      Map.ofEntries(
          Map.entry("png", "image/png"),
          Map.entry("jpg", "image/jpeg"),
          Map.entry("jpeg", "image/jpeg"),
          Map.entry("webp", "image/webp"),
          Map.entry("gif", "image/gif"),
          Map.entry("heic", "image/heic"),
          Map.entry("pdf", "application/pdf"),
          Map.entry("txt", "text/plain"),
          Map.entry("mp3", "audio/mp3"),
          Map.entry("wav", "audio/wav"),
          Map.entry("mp4", "video/mp4"),
          Map.entry("webm", "video/webm"));

  private MediaTypes() {}

  static Optional<String> of(String address) {
    String path = address.split("[?#]", 2)[0];
    String ending = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return Optional.ofNullable(BY_ENDING.get(ending));
  }
}
