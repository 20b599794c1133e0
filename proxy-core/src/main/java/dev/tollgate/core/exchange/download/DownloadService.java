package dev.tollgate.core.exchange.download;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.http.ByteRange;
import dev.tollgate.core.storage.BlobName;
import java.util.Optional;

/**
 * Port of the client pipeline to downloads of stored blobs, for which clients present a signed URL
 * instead of an API key.
 */
public interface DownloadService {
  /** The service of a node without stored blobs. */
  DownloadService NONE =
      new DownloadService() {
        @Override
        public Optional<BlobName> permitted(String path, String query) {
          return Optional.empty();
        }

        @Override
        public Running start(BlobName name, Part part, Downstream downstream) {
          throw new IllegalStateException("no download was permitted");
        }
      };

  /** Returns the blob that a URL permits to fetch; empty if it is not valid. */
  Optional<BlobName> permitted(String path, String query);

  /** Begins to answer; the reply goes to {@code downstream}, on its loop. */
  Running start(BlobName name, Part part, Downstream downstream);

  /** Requested part of a blob. */
  sealed interface Part {
    /** The head only. */
    record Head() implements Part {}

    record Bytes(ByteRange range) implements Part {}
  }
}
