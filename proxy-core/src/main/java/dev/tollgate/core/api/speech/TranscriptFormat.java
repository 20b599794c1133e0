package dev.tollgate.core.api.speech;

import java.util.Locale;
import java.util.Optional;

/** Format in which a client requests a transcript, with its default content type. */
enum TranscriptFormat {
  JSON("application/json"),
  VERBOSE_JSON("application/json"),
  DIARIZED_JSON("application/json"),
  TEXT("text/plain; charset=utf-8"),
  SRT("text/plain; charset=utf-8"),
  VTT("text/vtt; charset=utf-8");

  private final String wire = name().toLowerCase(Locale.ROOT);
  private final String contentType;

  /**
   * @param contentType used if the provider reports none
   */
  TranscriptFormat(String contentType) {
    this.contentType = contentType;
  }

  static Optional<TranscriptFormat> parse(String wire) {
    for (TranscriptFormat format : values()) {
      if (format.wire.equals(wire)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  String contentType() {
    return contentType;
  }

  /** True if each sentence has its time. */
  boolean isSubtitles() {
    return switch (this) {
      case SRT, VTT -> true;
      case JSON, VERBOSE_JSON, DIARIZED_JSON, TEXT -> false;
    };
  }

  /** True if the format has no room for anything but text. */
  boolean isText() {
    return switch (this) {
      case JSON, VERBOSE_JSON, DIARIZED_JSON -> false;
      case TEXT, SRT, VTT -> true;
    };
  }
}
