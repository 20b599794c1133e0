package dev.tollgate.core.exchange.download;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.download.DownloadService.Part;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestService.Running;
import dev.tollgate.core.http.ByteRange;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFile;
import dev.tollgate.core.storage.BlobFiles;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobSigningKey;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.PathSigner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bounds of downloads in number and in time, with a manual clock. */
class DownloadsTest {
  private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
  private static final int FILE_BYTES = 4 * 1024 * 1024;
  private static final int PIECE_BYTES = 32 * 1024;

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel loop = EmbeddedChannel.builder().ticker(ticker).build();
  private final List<Client> clients = new ArrayList<>();
  private int filesOpen;
  private final Downloads downloads =
      new Downloads(
          new PathSigner(
              new BlobSigningKey("0a1b2c3d", "7".repeat(64)),
              () -> NOW,
              Duration.ofHours(1),
              () -> ""),
          new Files());

  @AfterEach
  void nothingIsHeld() {
    clients.forEach(Client::leave);
    run(Duration.ZERO);
    assertThat(downloads.open()).isZero();
    assertThat(filesOpen).isZero();
    assertThat(loop.runScheduledPendingTasks()).as("clocks that go on").isEqualTo(-1);
    loop.close();
  }

  private final class Files implements BlobFiles {
    @Override
    public void open(BlobName name, EventLoop on, Consumer<Opened> whenDone) {
      filesOpen++;
      on.execute(() -> whenDone.accept(new Opened.Found(new Zeros())));
    }
  }

  private final class Zeros implements BlobFile {
    @Override
    public long length() {
      return FILE_BYTES;
    }

    @Override
    public void read(long position, ByteBuf into, Consumer<Read> whenDone) {
      into.writeZero(into.writableBytes());
      loop.eventLoop().execute(() -> whenDone.accept(new Read.Done()));
    }

    @Override
    public void close() {
      filesOpen--;
    }
  }

  /** A client that takes a piece when the test says. */
  private final class Client implements Downstream {
    private final Running running;
    private boolean takes;
    private int bytes;
    private boolean refused;
    private boolean ended;
    private boolean dropped;

    Client(BlobName name) {
      running = downloads.start(name, new Part.Bytes(new ByteRange.All()), this);
      clients.add(this);
    }

    void take() {
      takes = true;
      running.writabilityChanged();
      run(Duration.ZERO);
    }

    void leave() {
      running.clientDisconnected(DisconnectReason.ABORTED);
    }

    @Override
    public EventLoop loop() {
      return loop.eventLoop();
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void send(Reply reply) {
      switch (reply) {
        case Reply.Piece piece -> {
          bytes += piece.events().readableBytes();
          piece.events().release();
          takes = false;
        }
        case Reply.Refused _ -> refused = true;
        case Reply.Ended _ -> ended = true;
        case Reply.OpenedFile _ -> {}
        case Reply.Whole _, Reply.Opened _, Reply.OpenedBytes _ -> throw new AssertionError(reply);
      }
    }

    @Override
    public void flush() {}

    @Override
    public boolean isWritable() {
      return takes;
    }

    @Override
    public void drop() {
      dropped = true;
      running.clientDisconnected(DisconnectReason.STALLED);
    }
  }

  private static BlobName name() {
    return name(new OrgId(UUID.randomUUID()));
  }

  private static BlobName name(OrgId org) {
    var blob = new Blob(org, BlobType.PNG, Duration.ofDays(7), Unpooled.EMPTY_BUFFER);
    return BlobName.of(blob, NOW);
  }

  private Client client(BlobName name) {
    var client = new Client(name);
    run(Duration.ZERO);
    return client;
  }

  private void run(Duration time) {
    ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
    loop.runPendingTasks();
  }

  @Test
  void whoReadsALittleAgainAndAgainIsDropped() {
    Client trickling = client(name());
    Client steady = client(name());
    int seconds = 0;
    while (!steady.ended) {
      assertThat(seconds).isLessThan(300);
      steady.take();
      if (seconds % 50 == 0 && !trickling.dropped) {
        trickling.take();
      }
      run(Duration.ofSeconds(1));
      seconds++;
    }
    assertThat(steady.bytes).isEqualTo(FILE_BYTES);
    assertThat(steady.dropped).isFalse();
    assertThat(trickling.dropped).isTrue();
    assertThat(trickling.bytes).isBetween(PIECE_BYTES, 3 * PIECE_BYTES);
    assertThat(downloads.open()).isZero();
  }

  @Test
  void whoReadsNothingIsDroppedAfterAMinute() {
    Client silent = client(name());
    run(Duration.ofMillis(59_900));
    assertThat(silent.dropped).isFalse();
    run(Duration.ofMillis(200));
    assertThat(silent.dropped).isTrue();
    assertThat(downloads.open()).isZero();
  }

  @Test
  void oneUrlDoesNotTakeAllPlaces() {
    BlobName leaked = name();
    List<Client> readers = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      readers.add(client(leaked));
    }
    assertThat(readers).filteredOn(reader -> reader.refused).hasSize(300 - 32);
    assertThat(downloads.open()).isEqualTo(32);
    assertThat(client(name()).refused).isFalse();
    readers.getFirst().leave();
    assertThat(client(leaked).refused).isFalse();
    assertThat(client(leaked).refused).isTrue();
  }

  @Test
  void oneOrganizationDoesNotTakeAllPlaces() {
    OrgId org = new OrgId(UUID.randomUUID());
    List<Client> readers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      readers.add(client(name(org)));
    }
    assertThat(readers).filteredOn(reader -> reader.refused).hasSize(100 - 64);
    assertThat(client(name()).refused).isFalse();
    readers.getFirst().leave();
    assertThat(client(name(org)).refused).isFalse();
    assertThat(client(name(org)).refused).isTrue();
  }

  @Test
  void allPlacesTogetherAreBoundedToo() {
    @Nullable Client last = null;
    for (int i = 0; i < 257; i++) {
      last = client(name());
    }
    assertThat(last).isNotNull();
    assertThat(last.refused).isTrue();
    assertThat(downloads.open()).isEqualTo(256);
  }
}
