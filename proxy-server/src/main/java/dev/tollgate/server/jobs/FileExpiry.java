package dev.tollgate.server.jobs;

import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.Deleted;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.server.jobs.JobStore.DueFile;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Deletes files that were kept for long enough, and those of removed jobs. First the bytes, then
 * the row: what is not deleted now is due again.
 */
public final class FileExpiry {
  private static final int FILES_PER_ROUND = 200;

  /** A storage that fails so often is not asked again and again in one round. */
  private static final int FAILURES_MAX = 3;

  private final JobStore store;
  private final ArtifactStorage storage;
  private final JobObserver observer;

  public FileExpiry(JobStore store, ArtifactStorage storage, JobObserver observer) {
    this.store = store;
    this.storage = storage;
    this.observer = observer;
  }

  /** One round; says how many files went. */
  public int round() throws SQLException, InterruptedException {
    List<DueFile> gone = new ArrayList<>();
    int failures = 0;
    for (DueFile file : store.due(FILES_PER_ROUND)) {
      if (isGone(file)) {
        gone.add(file);
      } else if (++failures == FAILURES_MAX) {
        break;
      }
    }
    if (!gone.isEmpty()) {
      store.forget(gone);
      observer.deleted(gone.size());
    }
    return gone.size();
  }

  /** A name that is none of ours is nothing that could be deleted. */
  private boolean isGone(DueFile file) throws InterruptedException {
    Optional<BlobName> name = BlobName.parse(file.name());
    return name.isEmpty() || storage.delete(name.get()) instanceof Deleted.Gone;
  }
}
