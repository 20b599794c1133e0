package dev.tollgate.core.catalog;

import java.util.Locale;
import java.util.Optional;

/**
 * Kind of work that a model does, such as chat, embedding or image generation
 * (docs/decisions/models.md#modality).
 */
public enum Modality {
  CHAT,
  COMPLETION,
  EMBEDDING,
  SPEECH,
  TRANSCRIPTION,
  IMAGE,
  VIDEO,
  MUSIC;

  private final String wire = name().toLowerCase(Locale.ROOT);

  public String wire() {
    return wire;
  }

  public static Optional<Modality> parse(String wire) {
    for (Modality modality : values()) {
      if (modality.wire.equals(wire)) {
        return Optional.of(modality);
      }
    }
    return Optional.empty();
  }
}
