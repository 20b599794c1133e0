package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.server.jobs.JobStore.DueFile;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deleter of the output files of expired and removed jobs: first the blob, then its row. Each node
 * takes different files; a file that cannot be deleted is due again later and delays no other.
 */
public final class FileExpiry {
  private static final Logger LOG = LoggerFactory.getLogger(FileExpiry.class);

  private static final int JOBS_PER_BATCH = 20;
  private static final int BATCHES_PER_ROUND = 10;

  /** Failures after which a round stops calling the storage. */
  private static final int FAILURES_MAX = 3;

  private final JobStore store;
  private final ArtifactStorage storage;
  private final JobObserver observer;

  public FileExpiry(JobStore store, ArtifactStorage storage, JobObserver observer) {
    this.store = store;
    this.storage = storage;
    this.observer = observer;
  }

  /** Runs one round; returns the number of deleted files. */
  public int round() throws SQLException, InterruptedException {
    int all = 0;
    for (int batch = 0; batch < BATCHES_PER_ROUND; batch++) {
      List<DueFile> due = store.takeDue(JOBS_PER_BATCH);
      List<DueFile> gone = deleted(due);
      if (!gone.isEmpty()) {
        store.forget(gone);
        observer.deleted(gone.size());
      }
      all += gone.size();
      if (due.isEmpty() || gone.size() < due.size()) {
        return all;
      }
    }
    return all;
  }

  private List<DueFile> deleted(List<DueFile> due) throws InterruptedException {
    List<DueFile> gone = new ArrayList<>();
    int failures = 0;
    for (DueFile file : due) {
      if (isDeleted(file)) {
        gone.add(file);
      } else if (++failures == FAILURES_MAX) {
        break;
      }
    }
    return gone;
  }

  /** A name that is not one of the gateway's has no bytes to delete. */
  private boolean isDeleted(DueFile file) throws InterruptedException {
    Optional<BlobName> name = BlobName.parse(file.name());
    try {
      return name.isEmpty() || storage.delete(name.get()) instanceof DeleteBlobResult.Gone;
    } catch (RuntimeException e) {
      LOG.warn("the file {} of a job could not be deleted, will retry", file.id(), e);
      return false;
    }
  }
}
