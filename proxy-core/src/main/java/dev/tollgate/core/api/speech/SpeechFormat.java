package dev.tollgate.core.api.speech;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Audio format of generated speech, with its usual byte rate. */
enum SpeechFormat {
  MP3("audio/mpeg", 16_000),
  OPUS("audio/opus", 8_000),
  AAC("audio/aac", 16_000),
  FLAC("audio/flac", 30_000),
  WAV("audio/wav", 48_000),
  PCM("audio/pcm", 48_000);

  /** Tokens per second of audio, for models that count audio in tokens. */
  static final int TOKENS_PER_SECOND = 21;

  private final String wire = name().toLowerCase(Locale.ROOT);
  private final String contentType;
  private final int bytesPerSecond;

  /**
   * @param bytesPerSecond usual rate of providers: 24 kHz, one channel
   */
  SpeechFormat(String contentType, int bytesPerSecond) {
    this.contentType = contentType;
    this.bytesPerSecond = bytesPerSecond;
  }

  static Optional<SpeechFormat> parse(String wire) {
    for (SpeechFormat format : values()) {
      if (format.wire.equals(wire)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  String contentType() {
    return contentType;
  }

  /** Returns the length of speech with this number of tokens. */
  static Duration timeOfTokens(long tokens) {
    return Duration.ofSeconds(Math.ceilDiv(tokens, TOKENS_PER_SECOND));
  }

  /** Returns the likely length of speech with this number of bytes. */
  Duration timeOf(long bytes) {
    return Duration.ofMillis(Math.ceilDiv(bytes * 1_000, bytesPerSecond));
  }

  /** Returns the likely tokens of speech with this number of bytes. */
  long tokensOf(long bytes) {
    return Math.ceilDiv(bytes * TOKENS_PER_SECOND, bytesPerSecond);
  }
}
