package dev.tollgate.core.job;

import dev.tollgate.core.storage.BlobName;
import java.util.Optional;
import java.util.UUID;

/**
 * File that a job made, in the gateway's storage.
 *
 * @param frame the size of a picture; empty for sound
 */
public record JobArtifact(
    UUID id,
    Type type,
    String contentType,
    BlobName blob,
    long sizeBytes,
    Optional<Frame> frame,
    double durationSeconds) {

  /** Role of a file for its player. */
  public enum Type {
    VIDEO("video"),
    AUDIO("audio");

    private final String wire;

    Type(String wire) {
      this.wire = wire;
    }

    /** Returns the name in job objects and in the store. */
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

  /** Size of a picture in pixels. */
  public record Frame(int width, int height) {}
}
