package dev.tollgate.core.api.image;

import java.util.Locale;
import java.util.Optional;

/** Format in which a client asks to get its images: by URL, or as base64 in the reply. */
enum ImageFormat {
  URL,
  B64_JSON;

  private final String wire = name().toLowerCase(Locale.ROOT);

  static Optional<ImageFormat> parse(String wire) {
    for (ImageFormat format : values()) {
      if (format.wire.equals(wire)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /** Returns the format in a valid request, or the default. */
  static ImageFormat of(Optional<String> wire) {
    return wire.flatMap(ImageFormat::parse).orElse(URL);
  }

  String wire() {
    return wire;
  }
}
