package dev.tollgate.core.job;

import dev.tollgate.core.catalog.Modality;
import java.util.Locale;
import java.util.Optional;

/** What a job makes. */
public enum JobKind {
  VIDEO(Modality.VIDEO),
  MUSIC(Modality.MUSIC);

  private final String wire = name().toLowerCase(Locale.ROOT);
  private final Modality modality;

  JobKind(Modality modality) {
    this.modality = modality;
  }

  /** The name in job objects and in the store. */
  public String wire() {
    return wire;
  }

  /** What clients are told that a job of this kind is. */
  public String object() {
    return wire + ".generation";
  }

  /** What a model must be to make it. */
  public Modality modality() {
    return modality;
  }

  public static Optional<JobKind> parse(String wire) {
    for (JobKind kind : values()) {
      if (kind.wire.equals(wire)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
