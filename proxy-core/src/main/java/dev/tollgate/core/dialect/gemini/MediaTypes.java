package dev.tollgate.core.dialect.gemini;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Media types that Gemini accepts, and the type that the file extension of a URL shows. */
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

  private static final Set<String> PICTURES =
      Set.of("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif");
  private static final Set<String> DOCUMENTS = Set.of("application/pdf", "application/json");

  private MediaTypes() {}

  /** True if Gemini does not refuse a request because of this type. */
  static boolean areTaken(String type) {
    return PICTURES.contains(type)
        || DOCUMENTS.contains(type)
        || type.startsWith("audio/")
        || type.startsWith("video/")
        || type.startsWith("text/");
  }

  static Optional<String> of(String address) {
    String path = address.split("[?#]", 2)[0];
    String ending = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return Optional.ofNullable(BY_ENDING.get(ending));
  }
}
