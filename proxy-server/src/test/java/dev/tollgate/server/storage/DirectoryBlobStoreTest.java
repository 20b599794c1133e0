package dev.tollgate.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobFile;
import dev.tollgate.core.storage.BlobFiles.Opened;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobSigningKey;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.PathSigner;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.testkit.BlobsContract;
import dev.tollgate.server.ops.BoundedOffload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory fulfils the contract of all stores, and survives failures of disks. */
class DirectoryBlobStoreTest extends BlobsContract {
  private static final Duration HOUR = Duration.ofHours(1);

  @TempDir private Path directory = Path.of("");

  private final EventLoop loop = new DefaultEventLoop();
  private final BoundedOffload offload = new BoundedOffload(2, 4);
  private Instant now = Instant.parse("2026-11-22T10:00:00Z");
  private long leftBytesMin;
  private PathSigner signer = signer(new BlobSigningKey("00000000", "0".repeat(64)));
  private DirectoryBlobStore blobs = blobs(Duration.ofSeconds(20));

  @BeforeEach
  void prepare() throws IOException {
    signer = signer(DirectoryBlobStore.prepare(directory));
    blobs = blobs(Duration.ofSeconds(20));
  }

  @AfterEach
  void end() {
    offload.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private PathSigner signer(BlobSigningKey key) {
    return new PathSigner(key, () -> now, HOUR, () -> "https://gateway.test");
  }

  private DirectoryBlobStore blobs(Duration timeout) {
    return new DirectoryBlobStore(directory, leftBytesMin, offload, () -> now, timeout, signer);
  }

  @Override
  protected BlobStore blobs() {
    return blobs;
  }

  @Override
  protected EventLoop loop() {
    return loop;
  }

  @Override
  protected SignedUrl urlOf(BlobName name, Duration ago) {
    Instant then = now;
    now = then.minus(ago);
    SignedUrl url = blobs.url(name);
    now = then;
    return url;
  }

  @Override
  protected Optional<Fetched> fetch(String url) {
    assertThat(url).startsWith("https://gateway.test/artifacts/");
    String target = url.substring("https://gateway.test".length());
    int query = target.indexOf('?');
    return query < 0
        ? signer.verify(target, "").flatMap(this::read)
        : signer
            .verify(target.substring(0, query), target.substring(query + 1))
            .flatMap(this::read);
  }

  private Optional<Fetched> read(BlobName name) {
    return switch (open(name)) {
      case Opened.Absent _ -> Optional.empty();
      case Opened.Unavailable no -> throw new AssertionError(no);
      case Opened.Found found -> {
        BlobFile file = found.file();
        ByteBuf bytes = Unpooled.buffer((int) file.length(), (int) file.length());
        assertThat(read(file, bytes)).isInstanceOf(BlobFile.Read.Done.class);
        loop.submit(file::close).syncUninterruptibly();
        yield Optional.of(new Fetched(name.type().mediaType(), bytes));
      }
    };
  }

  private Opened open(BlobName name) {
    var opened = new CompletableFuture<Opened>();
    loop.execute(() -> blobs.open(name, loop, opened::complete));
    return opened.join();
  }

  private BlobFile.Read read(BlobFile file, ByteBuf into) {
    var read = new CompletableFuture<BlobFile.Read>();
    loop.execute(() -> file.read(0, into, read::complete));
    return read.join();
  }

  @Test
  void nodesThatShareTheDirectoryUseOneKey() throws Exception {
    BlobSigningKey key = DirectoryBlobStore.prepare(directory);
    assertThat(DirectoryBlobStore.prepare(directory)).isEqualTo(key);
    assertThat(Files.getPosixFilePermissions(directory.resolve("key"))).hasSize(2);
    assertThat(Files.getPosixFilePermissions(directory.resolve("days"))).hasSize(3);
    assertThat(Files.getPosixFilePermissions(directory.resolve("drafts"))).hasSize(3);
    assertThat(key.toString()).doesNotContain(key.secret());

    Files.delete(directory.resolve("key"));
    List<CompletableFuture<BlobSigningKey>> nodes =
        IntStream.range(0, 8).mapToObj(_ -> CompletableFuture.supplyAsync(this::prepared)).toList();
    Set<BlobSigningKey> agreed =
        nodes.stream().map(CompletableFuture::join).collect(Collectors.toSet());
    assertThat(agreed).hasSize(1).doesNotContain(key);
    assertThat(files(directory)).containsExactly("key");

    Files.writeString(directory.resolve("key"), "nonsense");
    assertThatThrownBy(() -> DirectoryBlobStore.prepare(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("holds no key")
        .hasMessageNotContaining("nonsense");
  }

  private BlobSigningKey prepared() {
    try {
      return DirectoryBlobStore.prepare(directory);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void aKeyOfAnotherDirectorySignsNothingHere() {
    BlobName name = keep(BlobType.PNG, new byte[] {1});
    String url = signer(new BlobSigningKey("00000000", "0".repeat(64))).url(name).url();
    assertThat(fetch(url)).isEmpty();
    assertThat(fetch(blobs.url(name).url())).isPresent();
  }

  @Test
  void whatCannotBeWrittenLeavesNothing() throws IOException {
    keep(BlobType.PNG, new byte[] {1});
    List<String> before = files(directory);
    Files.delete(directory.resolve("drafts"));
    Files.writeString(directory.resolve("drafts"), "in the way");
    ByteBuf bytes = Unpooled.buffer().writeByte(1);
    assertThat(store(new Blob(ORG, BlobType.PNG, HOUR, bytes)))
        .isInstanceOfSatisfying(
            StoreBlobResult.Unavailable.class,
            no -> assertThat(no.failure()).isEqualTo(BlobFailure.FAILED));
    assertThat(bytes.refCnt()).isZero();
    Files.delete(directory.resolve("drafts"));
    Files.createDirectory(directory.resolve("drafts"));
    assertThat(files(directory)).isEqualTo(before);
  }

  /** Uses the system's own message, from the device that is always full. */
  @Test
  void aFullDiskIsDistinguishedFromABrokenOne() {
    var full = Path.of("/dev/full");
    assumeThat(full).exists();
    assertThatThrownBy(() -> Files.write(full, new byte[4096]))
        .satisfies(
            why -> assertThat(DirectoryBlobStore.failureOf(why)).isEqualTo(BlobFailure.FULL));
    assertThat(DirectoryBlobStore.failureOf(new IOException("Input/output error")))
        .isEqualTo(BlobFailure.FAILED);
  }

  /** The journal may be on the same disk, and without space it stops all work. */
  @Test
  void outputsLeaveRoomToOthers() throws IOException {
    keep(BlobType.PNG, new byte[] {1});
    List<String> before = files(directory);
    leftBytesMin = Files.getFileStore(directory).getTotalSpace();
    blobs = blobs(Duration.ofSeconds(20));
    ByteBuf bytes = Unpooled.buffer().writeByte(1);
    assertThat(store(new Blob(ORG, BlobType.PNG, HOUR, bytes)))
        .isInstanceOfSatisfying(
            StoreBlobResult.Unavailable.class,
            no -> assertThat(no.failure()).isEqualTo(BlobFailure.FULL));
    assertThat(bytes.refCnt()).isZero();
    assertThat(files(directory)).isEqualTo(before);
    assertThat(DiskReserve.leftBytes(2_000, 1_500)).isEqualTo(1_500);
    assertThat(DiskReserve.leftBytes(2_000, 50)).isEqualTo(100);
    assertThat(DiskReserve.leftBytes(Long.MAX_VALUE, 0)).isEqualTo(1L << 30);
  }

  @Test
  void aBlockedDiskTimesOut() throws Exception {
    var hanging = new CountDownLatch(1);
    blobs = blobs(Duration.ofMillis(20));
    for (int thread = 0; thread < 2; thread++) {
      offload.run(loop, loop.ticker().nanoTime() + 60_000_000_000L, () -> hang(hanging), _ -> {});
    }
    ByteBuf bytes = Unpooled.buffer().writeByte(1);
    assertThat(store(new Blob(ORG, BlobType.PNG, HOUR, bytes)))
        .isEqualTo(new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, "disk timeout"));
    assertThat(bytes.refCnt()).as("held while it waits for a thread").isZero();
    for (int queued = 1; queued < 4; queued++) {
      assertThat(store(new Blob(ORG, BlobType.PNG, HOUR, Unpooled.EMPTY_BUFFER)))
          .isInstanceOfSatisfying(
              StoreBlobResult.Unavailable.class,
              no -> assertThat(no.failure()).isEqualTo(BlobFailure.TIMED_OUT));
    }
    assertThat(store(new Blob(ORG, BlobType.PNG, HOUR, Unpooled.EMPTY_BUFFER)))
        .isEqualTo(new StoreBlobResult.Unavailable(BlobFailure.BUSY, "queue full"));
    hanging.countDown();
    awaitOnLoop(() -> offload.depth() == 0 && bytes.refCnt() == 0);
    blobs = blobs(Duration.ofSeconds(20));
    keep(BlobType.PNG, new byte[] {1}); // runs after all queued work
    assertThat(files(directory.resolve("drafts"))).isEmpty();
    assertThat(files(directory.resolve("days"))).hasSize(1);
  }

  @Test
  void aBlobWrittenAfterTheTimeoutIsDeleted() throws Exception {
    var hanging = new CountDownLatch(1);
    var written = new CountDownLatch(1);
    Offload slow =
        new Offload() {
          @Override
          public <T> void run(
              EventExecutor caller, long deadline, Callable<T> work, Consumer<Outcome<T>> done) {
            Callable<T> held =
                () -> {
                  T came = work.call();
                  written.countDown();
                  hanging.await();
                  return came;
                };
            offload.run(caller, deadline, held, done);
          }
        };
    blobs =
        new DirectoryBlobStore(
            directory, leftBytesMin, slow, () -> now, Duration.ofSeconds(2), signer);
    StoreBlobResult stored =
        store(new Blob(ORG, BlobType.PNG, HOUR, Unpooled.buffer().writeByte(1)));
    assertThat(stored)
        .isEqualTo(new StoreBlobResult.Unavailable(BlobFailure.TIMED_OUT, "disk timeout"));
    written.await();
    assertThat(files(directory.resolve("days"))).hasSize(1);
    hanging.countDown();
    blobs = blobs(Duration.ofSeconds(20));
    BlobName later = keep(BlobType.PNG, new byte[] {1});
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (files(directory.resolve("days")).size() > 1) {
      assertThat(System.nanoTime() - deadline).as("it is never deleted").isNegative();
      loop.submit(() -> {}).sync();
    }
    assertThat(read(later)).isPresent();
  }

  @Test
  void downloadsTimeOutOnABlockedDisk() throws Exception {
    BlobName name = keep(BlobType.PNG, new byte[] {1, 2, 3});
    Duration soon = Duration.ofMillis(20);
    blobs = blobs(soon);
    BlobFile file = DiskFile.open(new BlobLayout(directory).of(name), offload, loop, soon);
    var hanging = new CountDownLatch(1);
    for (int thread = 0; thread < 2; thread++) {
      offload.run(loop, loop.ticker().nanoTime() + 60_000_000_000L, () -> hang(hanging), _ -> {});
    }
    assertThat(open(name)).isEqualTo(new Opened.Unavailable("disk timeout"));
    ByteBuf piece = Unpooled.buffer(3, 3);
    assertThat(read(file, piece)).isEqualTo(new BlobFile.Read.Failed("disk timeout"));
    loop.submit(file::close).sync();
    piece.release();
    assertThat(piece.refCnt()).as("released while a thread may write to it").isOne();
    hanging.countDown();
    blobs = blobs(Duration.ofSeconds(20));
    keep(BlobType.PNG, new byte[] {1}); // runs after all queued work
    assertThat(piece.refCnt()).isZero();
  }

  /** Runs the loop's tasks until a condition holds. */
  private void awaitOnLoop(BooleanSupplier holds) throws InterruptedException {
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).as("it never held").isNegative();
      loop.submit(() -> {}).sync();
    }
  }

  private static Void hang(CountDownLatch until) throws InterruptedException {
    until.await();
    return null;
  }

  @Test
  void whatIsOverIsDeletedAndNothingElse() throws IOException {
    var expiry = new BlobExpiry(directory, () -> now);
    BlobName week = keep(BlobType.PNG, new byte[] {1, 2});
    BlobName hours = keepFor(Duration.ofHours(15));
    BlobName minutes = keepFor(Duration.ofMinutes(1));
    Path crashed = Files.writeString(directory.resolve("drafts/crashed"), "half");
    Files.setLastModifiedTime(crashed, FileTime.from(now.minus(Duration.ofHours(2))));
    Path underway = Files.writeString(directory.resolve("drafts/underway"), "half");
    Files.setLastModifiedTime(underway, FileTime.from(now));
    Path foreign = Files.writeString(directory.resolve("days/README"), "not ours");

    assertThat(expiry.round()).isOne();
    assertThat(crashed).doesNotExist();
    assertThat(underway).exists();
    assertThat(read(minutes)).isPresent();

    now = Instant.parse("2026-11-23T00:00:01Z");
    assertThat(expiry.round()).isEqualTo(1 + 1); // the second one is the draft, which is old by now
    assertThat(read(minutes)).isEmpty();
    assertThat(read(hours)).isPresent();
    assertThat(directory.resolve("days/20261122")).doesNotExist();

    now = Instant.parse("2026-11-30T00:00:01Z");
    assertThat(expiry.round()).isEqualTo(2);
    assertThat(read(week)).isEmpty();
    assertThat(foreign).exists();
    assertThat(expiry.deleted()).isEqualTo(5);
    assertThat(expiry.round()).isZero();
    expiry.close();
  }

  /** On a network file system, for example, an open file may resist deletion for long. */
  @Test
  void whatCannotBeDeletedHoldsUpNothingElse() throws IOException {
    BlobName stuck = keepFor(Duration.ofHours(1));
    BlobName later = keepFor(Duration.ofDays(2));
    Path crashed = Files.writeString(directory.resolve("drafts/crashed"), "half");
    Files.setLastModifiedTime(crashed, FileTime.from(now));
    Path inUse = new BlobLayout(directory).of(stuck);
    var refused = new boolean[] {true};
    var expiry =
        new BlobExpiry(
            directory,
            () -> now,
            path -> {
              if (refused[0] && path.equals(inUse)) {
                throw new AccessDeniedException(path.toString());
              }
              return Files.deleteIfExists(path);
            });
    now = Instant.parse("2026-12-22T00:00:01Z");
    assertThat(expiry.round()).isEqualTo(2);
    assertThat(expiry.failures()).isOne();
    assertThat(read(later)).isEmpty();
    assertThat(crashed).doesNotExist();
    assertThat(read(stuck)).isPresent();
    refused[0] = false;
    assertThat(expiry.round()).isOne();
    assertThat(expiry.failures()).isZero();
    assertThat(read(stuck)).isEmpty();
    expiry.close();
  }

  private BlobName keepFor(Duration time) {
    StoreBlobResult stored =
        store(new Blob(ORG, BlobType.PNG, time, Unpooled.buffer().writeByte(7)));
    return ((StoreBlobResult.Kept) stored).name();
  }
}
