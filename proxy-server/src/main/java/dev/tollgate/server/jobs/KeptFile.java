package dev.tollgate.server.jobs;

import dev.tollgate.core.blob.BlobName;
import java.time.Duration;
import java.util.Optional;

/**
 * A file of a job that lies in our storage.
 *
 * @param size in pixels; empty: it is sound
 */
public record KeptFile(BlobName name, long sizeBytes, Optional<PixelSize> size, Duration length) {

  /** A size in pixels. */
  public record PixelSize(int width, int height) {}
}
