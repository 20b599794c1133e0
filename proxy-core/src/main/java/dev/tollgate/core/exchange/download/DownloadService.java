package dev.tollgate.core.exchange.download;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.http.ByteRange;
import dev.tollgate.core.storage.BlobName;
import java.util.Optional;

/** What answers requests for kept blobs, whose callers show a signed URL in place of a key. */
public interface DownloadService {
  /** There is nothing to download. */
  DownloadService NONE =
      new DownloadService() {
        @Override
        public Optional<BlobName> permitted(String path, String query) {
          return Optional.empty();
        }

        @Override
        public Running start(BlobName name, Part part, Downstream downstream) {
          throw new IllegalStateException("nobody was permitted anything");
        }
      };

  /** What a request's URL lets its caller fetch; empty: nothing, for whatever reason. */
  Optional<BlobName> permitted(String path, String query);

  /** Begins to answer; the reply goes to {@code downstream}, on its loop. */
  Running start(BlobName name, Part part, Downstream downstream);

  /** How much of a blob is asked for. */
  sealed interface Part {
    /** What would be told ahead of it. */
    record Head() implements Part {}

    record Bytes(ByteRange range) implements Part {}
  }
}
