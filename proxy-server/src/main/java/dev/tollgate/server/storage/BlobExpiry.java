package dev.tollgate.server.storage;

import dev.tollgate.core.storage.BlobName;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic deletion of expired blobs from a directory, a bounded number at a time, and of drafts
 * left by crashes. Several nodes may do so at once: a file that another node has deleted counts as
 * deleted.
 */
public final class BlobExpiry implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlobExpiry.class);
  private static final Duration ROUND = Duration.ofMinutes(1);
  private static final Duration DRAFT_MAX = Duration.ofHours(1);
  private static final int FILES_PER_ROUND = 5_000;
  private static final String DAY = "[0-9]{8}";

  private final BlobLayout layout;
  private final InstantSource clock;
  private final Deletion deletion;
  private final LongAdder deleted = new LongAdder();
  private int failures;
  private String firstFailure = "";
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("blob-expiry").daemon().factory());

  public BlobExpiry(Path directory, InstantSource clock) {
    this(directory, clock, Files::deleteIfExists);
  }

  BlobExpiry(Path directory, InstantSource clock, Deletion deletion) {
    this.layout = new BlobLayout(directory);
    this.clock = clock;
    this.deletion = deletion;
  }

  /** Deletion of one path; true if the path existed. */
  interface Deletion {
    boolean delete(Path path) throws IOException;
  }

  public void start() {
    thread.scheduleWithFixedDelay(this::runRound, 0, ROUND.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Returns the number of expired files deleted so far. */
  public long deleted() {
    return deleted.sum();
  }

  private void runRound() {
    try {
      round();
    } catch (RuntimeException e) {
      failed(e); // an exception would end the schedule
    }
    if (failures > 0) {
      LOG.warn(
          "{} expired outputs or folders could not be deleted, will retry: {}",
          failures,
          firstFailure);
    }
  }

  /**
   * Runs one round; returns the number of deleted files. A file that cannot be deleted stays and
   * delays no other.
   */
  int round() {
    failures = 0;
    int left = FILES_PER_ROUND;
    String today = BlobName.today(clock.instant());
    for (Path day : sorted(layout.days())) {
      String name = day.getFileName().toString();
      if (left > 0 && name.matches(DAY) && name.compareTo(today) < 0) {
        left -= clear(day, left);
      }
    }
    Instant crashed = clock.instant().minus(DRAFT_MAX);
    for (Path draft : sorted(layout.drafts())) {
      if (left > 0 && isOlder(draft, crashed)) {
        left -= delete(draft);
      }
    }
    int count = FILES_PER_ROUND - left;
    deleted.add(count);
    return count;
  }

  /** Deletes the files of a day, and its empty folders. */
  private int clear(Path day, int filesMax) {
    int count = 0;
    for (Path folder : sorted(day)) {
      for (Path file : sorted(folder)) {
        if (count == filesMax) {
          return count;
        }
        count += delete(file);
      }
      delete(folder);
    }
    delete(day);
    return count;
  }

  /** Returns 1 if the path was deleted; 0 if it is missing or a folder with new content. */
  private int delete(Path path) {
    try {
      return deletion.delete(path) ? 1 : 0;
    } catch (DirectoryNotEmptyException _) {
      return 0;
    } catch (IOException e) {
      failed(e);
      return 0;
    }
  }

  private boolean isOlder(Path draft, Instant than) {
    try {
      return Files.getLastModifiedTime(draft).toInstant().isBefore(than);
    } catch (NoSuchFileException _) {
      return false;
    } catch (IOException e) {
      failed(e);
      return false;
    }
  }

  private List<Path> sorted(Path folder) {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      entries.forEach(all::add);
    } catch (NoSuchFileException | NotDirectoryException _) {
      return List.of();
    } catch (IOException | DirectoryIteratorException e) {
      failed(e);
    }
    Collections.sort(all);
    return all;
  }

  private void failed(Exception why) {
    if (failures++ == 0) {
      firstFailure = why.toString();
    }
  }

  /** Returns the number of failed deletions of the last round. */
  int failures() {
    return failures;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
