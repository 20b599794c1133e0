package dev.tollgate.server.blob;

import dev.tollgate.core.blob.BlobName;
import java.io.IOException;
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
 * Deletes what is over from a directory, some files at a time, and what crashes left half written.
 * Several nodes may do so at once: what another has deleted is deleted.
 */
public final class Expiry implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Expiry.class);
  private static final Duration ROUND = Duration.ofMinutes(1);
  private static final Duration DRAFT_MAX = Duration.ofHours(1);
  private static final int FILES_PER_ROUND = 5_000;
  private static final String DAY = "[0-9]{8}";

  private final Layout layout;
  private final InstantSource clock;
  private final LongAdder deleted = new LongAdder();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("blob-expiry").daemon().factory());

  public Expiry(Path directory, InstantSource clock) {
    this.layout = new Layout(directory);
    this.clock = clock;
  }

  public void start() {
    thread.scheduleWithFixedDelay(this::attempt, 0, ROUND.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Files that were over, so far. */
  public long deleted() {
    return deleted.sum();
  }

  private void attempt() {
    try {
      round();
    } catch (IOException | RuntimeException e) {
      log.warn("stored outputs that are over could not be deleted, tried again: {}", e.toString());
    }
  }

  /** Deletes as many as one round may; says how many that were. */
  int round() throws IOException {
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

  /** Deletes a day's files, and its folders when they are empty. */
  private static int clear(Path day, int filesMax) throws IOException {
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

  /** One at most; what is gone already, or has something in it again, does not count. */
  private static int delete(Path path) throws IOException {
    try {
      return Files.deleteIfExists(path) ? 1 : 0;
    } catch (DirectoryNotEmptyException _) {
      return 0;
    }
  }

  private static boolean isOlder(Path draft, Instant than) throws IOException {
    try {
      return Files.getLastModifiedTime(draft).toInstant().isBefore(than);
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  private static List<Path> sorted(Path folder) throws IOException {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      entries.forEach(all::add);
    } catch (NoSuchFileException | NotDirectoryException _) {
      return List.of();
    }
    Collections.sort(all);
    return all;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
