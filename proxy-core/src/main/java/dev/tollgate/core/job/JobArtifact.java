package dev.tollgate.core.job;

import dev.tollgate.core.storage.BlobName;
import java.util.Optional;
import java.util.UUID;

/**
 * Output file of a media job, kept in the gateway's storage.
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

  /** Type of an output file, which determines how it is played. */
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

  /** Size in pixels of a job's video picture. */
  public record Frame(int width, int height) {}
}
