package dev.tollgate.core.exchange.download;

import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.storage.BlobFiles;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.PathSigner;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Download service of this node, which bounds the number of running downloads in total, by file
 * descriptors, per blob, so that one URL cannot use all of them, and per owner, so that one
 * organization cannot.
 */
public final class Downloads implements DownloadService {
  private static final int OPEN_MAX = 256;
  private static final int OF_ONE_BLOB_MAX = 32;
  private static final int OF_ONE_OWNER_MAX = 64;

  private final PathSigner signer;
  private final BlobFiles files;
  private final int openMax;
  private final AtomicInteger open = new AtomicInteger();
  private final Map<BlobName, Integer> openOf = new ConcurrentHashMap<>();
  private final Map<String, Integer> openOfOwner = new ConcurrentHashMap<>();

  public Downloads(PathSigner signer, BlobFiles files) {
    this(signer, files, OPEN_MAX);
  }

  public Downloads(PathSigner signer, BlobFiles files, int openMax) {
    this.signer = signer;
    this.files = files;
    this.openMax = openMax;
  }

  @Override
  public Optional<BlobName> permitted(String path, String query) {
    return signer.verify(path, query);
  }

  @Override
  public Running start(BlobName name, Part part, Downstream downstream) {
    var download = new Download(name, part, downstream, () -> ended(name));
    boolean isFull = open.incrementAndGet() > openMax;
    isFull |= openOf.merge(name, 1, Integer::sum) > OF_ONE_BLOB_MAX;
    isFull |= openOfOwner.merge(name.owner(), 1, Integer::sum) > OF_ONE_OWNER_MAX;
    if (isFull) {
      download.refuse(Fault.tryLater("Too many downloads are in work."));
    } else {
      download.checkProgress();
      files.open(name, downstream.loop(), download::onOpened);
    }
    return download;
  }

  private void ended(BlobName name) {
    open.decrementAndGet();
    openOf.computeIfPresent(name, (_, count) -> count == 1 ? null : count - 1);
    openOfOwner.computeIfPresent(name.owner(), (_, count) -> count == 1 ? null : count - 1);
  }

  /** Returns the number of running downloads. */
  public int open() {
    return open.get();
  }
}
