package dev.tollgate.core.money;

import java.util.Locale;

/** Unit of usage that has a price of its own. */
public enum PricedUnit {
  REQUEST,
  PROMPT_TOKEN,
  CACHED_TOKEN,
  CACHE_WRITE_TOKEN,
  CACHE_WRITE_1H_TOKEN,
  AUDIO_INPUT_TOKEN,
  IMAGE_INPUT_TOKEN,
  COMPLETION_TOKEN,
  AUDIO_OUTPUT_TOKEN,
  REASONING_TOKEN,
  CHARACTER,
  AUDIO_MICROSECOND,
  VIDEO_MICROSECOND,
  MUSIC_MICROSECOND,
  IMAGE;

  private final String wire = name().toLowerCase(Locale.ROOT);

  public String wire() {
    return wire;
  }
}
