package dev.tollgate.core.job;

import dev.tollgate.core.catalog.Modality;
import java.util.Locale;
import java.util.Optional;

/** Kind of output that a media job makes: video or music. */
public enum JobKind {
  VIDEO(Modality.VIDEO),
  MUSIC(Modality.MUSIC);

  private final String wire = name().toLowerCase(Locale.ROOT);
  private final Modality modality;

  JobKind(Modality modality) {
    this.modality = modality;
  }

  /** Returns the name in job objects and in the store. */
  public String wire() {
    return wire;
  }

  /** Returns the {@code object} member of jobs of this kind. */
  public String object() {
    return wire + ".generation";
  }

  /** Returns the modality of the models that make this kind. */
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
