package dev.tollgate.core.api.image;

import java.util.Locale;
import java.util.Optional;

/** How a client wants its images: at an address, or in the reply. */
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

  /** What a valid request says, or means where it says nothing. */
  static ImageFormat of(Optional<String> wire) {
    return wire.flatMap(ImageFormat::parse).orElse(URL);
  }

  String wire() {
    return wire;
  }
}
