package dev.tollgate.core.job;

import dev.tollgate.core.storage.BlobName;
import java.util.Optional;
import java.util.UUID;

/**
 * What a job made, in our storage.
 *
 * @param frame of a picture; empty for sound
 */
public record JobArtifact(
    UUID id,
    Type type,
    String contentType,
    BlobName blob,
    long sizeBytes,
    Optional<Frame> frame,
    double durationSeconds) {

  /** What it is for who plays it. */
  public enum Type {
    VIDEO("video"),
    AUDIO("audio");

    private final String wire;

    Type(String wire) {
      this.wire = wire;
    }

    /** The name in job objects and in the store. */
    public String wire() {
      return wire;
    }

    public static Optional<Type> parse(String wire) {
      for (Type type : values()) {
        if (type.wire.equals(wire)) {
          return Optional.of(type);
        }
      }
      return Optional.empty();
    }
  }

  /** The size of its pictures in pixels. */
  public record Frame(int width, int height) {}
}
